from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from homeroom.cli import serve as serving
from homeroom.live.access.passwords import Passwords
from homeroom.live.events import Opened
from homeroom.live.settings import NOT_BUILT, Hashing, ServerSettings
from homeroom.live.store import open_store
from tests.cli.conftest import Homeroom, Ran, refuse

PROGRAM = [sys.executable, "-c", "from homeroom.cli import main; main()", "serve", "--port", "0"]


class Running:
    """``homeroom serve``, and its output."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        )
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Stop"):
                break
        self.address = "".join(re.findall(r"open at (\S+)", self.said))

    def seconds(self) -> float:
        """Return the processor time that the process has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        """Stop it as Ctrl+C does."""
        self.process.send_signal(signal.SIGINT)
        _, self.errors = self.process.communicate(timeout=120)
        return self.process.returncode


@pytest.fixture(scope="module")
def demo() -> Iterator[Running]:
    running = Running("--demo")
    yield running
    assert running.stop() in (0, 130)
    assert running.errors == ""


def test_it_prints_its_address_and_that_it_listens_on_this_machine_only(demo: Running) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", demo.address)
    assert "add --host 0.0.0.0" in demo.said


def test_it_prints_the_links_to_start_with(demo: Running) -> None:
    assert re.search(rf"{demo.address}/teacher/first\?token=[\w-]{{32}}\n", demo.said)
    assert re.search(rf"{demo.address}/\?code=[2-9A-Z]{{6}}\n", demo.said)
    assert "24 simulated students" in demo.said


def test_it_listens_on_the_loopback_only(demo: Running) -> None:
    port = int(demo.address.rpartition(":")[2])
    local = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in local if line.split()[3] == "0A"]
    assert [place for place in listening if place.endswith(f":{port:04X}")] == [
        f"0100007F:{port:04X}"
    ]


@pytest.mark.slow
def test_the_first_page_takes_less_than_two_seconds_of_work() -> None:
    """Processor time is measured, which depends less on other programs than elapsed time does.

    The quickest of a few starts counts, with the bytecode that an installed package has.
    """
    took: list[float] = []
    while len(took) < 6 and min(took, default=2.0) >= 2.0:
        running = Running("--database", ":memory:")
        try:
            with urllib.request.urlopen(running.address + "/", timeout=60) as page:
                assert page.status == 200
            took.append(running.seconds())
        finally:
            running.stop()
    assert min(took) < 2.0


def test_a_port_in_use_is_one_sentence(homeroom: Homeroom) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refuse(homeroom("serve", "--port", port), f"port {port}", "--port")


def test_a_missing_extra_names_its_command(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "segno" else name)
    refuse(homeroom("serve"), "segno", "homeroom[live]")


@pytest.mark.parametrize(
    ("database", "named"),
    [
        ("postgresql://teacher@127.0.0.1:1/x", "database"),
        ("letter.txt", "letter.txt"),
        ("newer.db", "999"),
        ("used.db", "used.db"),
        ("link.db", "used.db"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("letter.txt").write_text("Dear school, " * 1000)
    Path("link.db").symlink_to("used.db")
    open_store("newer.db").close()
    with closing(sqlite3.connect("newer.db")) as connection, connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (999)")
    with open_store("used.db"):
        refuse(homeroom("serve", "--port", 0, "--database", database), named)


@pytest.mark.slow
def test_nothing_is_logged_when_the_server_cannot_start(tmp_path: Path) -> None:
    """Runs in a separate process, where a traceback of the server would appear."""
    (tmp_path / "letter.txt").write_text("Dear school, " * 1000)
    ran = subprocess.run(
        [*PROGRAM, "--database", str(tmp_path / "letter.txt")],
        capture_output=True,
        text=True,
        check=False,
    )
    refuse(Ran(ran.returncode, ran.stdout, ran.stderr), "letter.txt")


def test_postgres_without_its_library_names_the_command(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ran = homeroom("serve", "--port", 0, "--database", "postgresql://x@127.0.0.1:1/x")
    refuse(ran, "homeroom[live,postgres]")


@pytest.fixture
def ran_with(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings, socket and address of each server that would have run."""
    found: list[Any] = []
    monkeypatch.setattr(
        serving,
        "_run",
        lambda settings, _store, bound, address: found.append(
            (settings, bound.getsockname(), address)
        ),
    )
    return found


def test_classes_are_stored_in_the_users_folder(
    homeroom: Homeroom, ran_with: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert homeroom("serve", "--port", 0).code == 0
    [(settings, (host, port), address)] = ran_with
    assert settings.database == str(tmp_path / "homeroom" / "classroom.db")
    assert (host, address) == ("127.0.0.1", f"http://127.0.0.1:{port}")
    assert settings.phones is None


def test_a_demo_leaves_nothing_behind(homeroom: Homeroom, ran_with: list[Any]) -> None:
    homeroom("serve", "--port", 0, "--demo")
    settings = ran_with[0][0]
    assert (settings.database, settings.demo) == (":memory:", 24)


def test_activities_are_read_from_files(
    homeroom: Homeroom, ran_with: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "birds.csv").write_text("item,label\nduck,a\nhen,a\nbat,b\nbee,b\n")
    homeroom("serve", "--port", 0, "--demo", "--activity", tmp_path / "birds.csv")
    [(activity, pictures, _)] = ran_with[0][0].activities
    assert (activity.name, pictures) == ("birds", {})


def test_phones_can_join_if_the_server_listens_on_the_network(
    homeroom: Homeroom, ran_with: list[Any]
) -> None:
    homeroom("serve", "--port", 0, "--demo", "--host", "0.0.0.0")
    [(settings, (host, port), address)] = ran_with
    assert (host, address) == ("0.0.0.0", f"http://127.0.0.1:{port}")
    assert settings.phones is None or settings.phones.endswith(f":{port}")


def test_behind_a_proxy_links_lead_to_the_public_address(
    homeroom: Homeroom, ran_with: list[Any]
) -> None:
    homeroom("serve", "--port", 0, "--demo", "--origin", "https://school.example/")
    [(settings, _, address)] = ran_with
    assert settings.origin == address == "https://school.example"
    assert settings.secure


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://School.example:443", "https://school.example"),
        ("http://School.example:80/", "http://school.example"),
        ("https://school.example:8443", "https://school.example:8443"),
    ],
)
def test_the_public_address_is_written_as_browsers_send_it(
    homeroom: Homeroom, ran_with: list[Any], given: str, sent: str
) -> None:
    homeroom("serve", "--port", 0, "--demo", "--origin", given)
    assert ran_with[0][0].origin == sent


def test_a_password_can_be_reset(homeroom: Homeroom, ran_with: list[Any], tmp_path: Path) -> None:
    place = str(tmp_path / "class.db")
    with open_store(place) as store:
        Passwords(store, "t", Hashing(1, 8, 1)).choose_first("correct horse", "t")
    homeroom("serve", "--port", 0, "--database", place, "--reset-password")
    with open_store(place) as store:
        assert not Passwords(store, "t").chosen


@pytest.mark.parametrize(
    ("origin", "trusted", "proxies"),
    [
        (None, None, set()),
        ("https://school.example", None, {"127.0.0.1", "::1"}),
        ("https://school.example", "192.0.2.7, 192.0.2.8", {"192.0.2.7", "192.0.2.8"}),
    ],
)
def test_only_trusted_proxies_are_exempt_from_the_limits_per_address(
    monkeypatch: pytest.MonkeyPatch, origin: str | None, trusted: str | None, proxies: set[str]
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    if trusted is not None:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    assert serving._connection_limits(behind_proxy=origin is not None).proxies == proxies


class _ServerState:
    class passwords:  # noqa: N801 - stands in for an attribute
        chosen = True


class _App:
    class state:  # noqa: N801 - stands in for an attribute
        server = _ServerState


def test_the_address_for_phones_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = ServerSettings(phones="http://192.0.2.7:80", static=tmp_path)
    app: Any = _App
    serving._announce(app, settings, "http://127.0.0.1:80", "0.0.0.0")
    said, errors = capsys.readouterr()
    assert "http://192.0.2.7:80" in said
    assert "http://127.0.0.1:80/teacher" in said
    assert "token" not in said
    assert " ".join(errors.split()) == NOT_BUILT


@pytest.mark.slow
def test_the_commands_write_and_read_a_backup(homeroom: Homeroom, tmp_path: Path) -> None:
    source, target, backup = (tmp_path / name for name in ("one.db", "two.db", "monday.db"))
    with open_store(str(source)) as store:
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
    counts = {"classes": 1, "activities": 0, "present": 0}
    made = homeroom("backup", backup, "--database", source, "--json").document
    assert made == {"file": str(backup), **counts}
    ran = homeroom("restore", backup, "--database", target)
    assert (ran.code, "1 class and 0 activities" in ran.out) == (0, True)
    again = homeroom("restore", backup, "--database", target)
    assert "already has 1 class" in again.out
    with open_store(str(target)) as store:
        assert store.find_class(class_id) is not None
