import gzip
from pathlib import Path
from typing import Any

import pytest

from homeroom.live.settings import NOT_BUILT, Hashing, ServerSettings

PAGES = [
    "/",
    "/?code=ABC234",
    "/student",
    "/write",
    "/teacher",
    "/teacher/first?token=x",
    "/teacher/classes/0123456789abcdef",
    "/teacher/classes/0123456789abcdef/letters",
]


@pytest.fixture
def built(tmp_path: Path, opened: Any) -> Any:
    """A server with pages that were built."""
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>homeroom</title>")
    (static / "assets" / "main-1234.js").write_text("export {};")
    (static / "assets" / "long-5678.js").write_text("export {};" * 200)
    (tmp_path / "secret.txt").write_text("secret")
    return opened(ServerSettings(static=static, hashing=Hashing(1, 8, 1)))


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_the_one_page(built: Any, path: str) -> None:
    answer = built.teacher.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>homeroom" in answer.text


def test_scripts_are_served_as_scripts(built: Any) -> None:
    answer = built.teacher.get("/assets/main-1234.js")
    assert answer.headers["content-type"].startswith("text/javascript")


def test_scripts_are_sent_small_and_kept_by_browsers(built: Any) -> None:
    long = built.teacher.get("/assets/long-5678.js", headers={"accept-encoding": "gzip"})
    assert long.headers["content-encoding"] == "gzip"
    assert long.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert built.teacher.get("/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "//etc/passwd",
        "/..%5csecret.txt",
    ],
)
def test_nothing_beside_the_pages_is_served(built: Any, path: str) -> None:
    answer = built.teacher.get(path)
    assert answer.status_code in (400, 404)
    assert "secret" not in answer.text.replace("secret.txt", "")


def test_pages_that_were_not_built_say_so(opened: Any, tmp_path: Path) -> None:
    live = opened(ServerSettings(static=tmp_path / "none", hashing=Hashing(1, 8, 1)))
    answer = live.teacher.get("/")
    assert (answer.status_code, answer.text) == (503, NOT_BUILT)
    assert "make web" in NOT_BUILT
    assert live.teacher.get("/assets/x.js").status_code == 404
    assert live.teacher.get("/api/teacher/me").status_code == 200


def test_all_pages_together_are_small() -> None:
    """Under 150 kB as they are sent; now 107."""
    static = ServerSettings().static
    if not (static / "index.html").is_file():
        pytest.skip("the pages are not built: make web")
    files = [path for path in static.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 150_000
