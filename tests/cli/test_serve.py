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
from typing import TYPE_CHECKING, Any

import pytest

from homeroom.cli import serve as serving
from homeroom.live.access.passwords import Passwords
from homeroom.live.events import Opened
from homeroom.live.settings import NOT_BUILT, Hashing, ServerSettings
from homeroom.live.store import open_store

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom

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
    assert "It listens on this machine only (127.0.0.1): add --host 0.0.0.0" in demo.said


def test_it_prints_the_links_to_start_with(demo: Running) -> None:
    assert re.search(rf"{demo.address}/teacher/first\?token=[\w-]{{32}}\n", demo.said)
    assert re.search(rf"{demo.address}/\?code=[2-9A-Z]{{6}}\n", demo.said)
    assert "24 simulated students join the demo class" in demo.said


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
        ran = homeroom("serve", "--port", port)
    assert ran.code == 2
    assert f"Cannot listen at 127.0.0.1, port {port} (Address already in use)" in ran.err
    assert "try another --host or --port" in ran.err


def test_a_missing_extra_names_its_command(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    find = importlib.util.find_spec
    missing = ("httptools", "segno")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in missing else find(name)
    )
    ran = homeroom("serve")
    assert ran.code == 2
    assert "The live classroom needs httptools, segno: pip install 'homeroom[live]'" in ran.err


@pytest.mark.parametrize(
    "origin", ["school.example", "ftp://x", "https://", "https://x/y", "http://[x"]
)
def test_an_origin_has_a_scheme_and_no_path(homeroom: Homeroom, origin: str) -> None:
    ran = homeroom("serve", "--origin", origin)
    assert ran.code == 2
    assert "--origin must be an address such as https://school.example, without a path" in ran.err


@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("mysql://x", "A database is a file, sqlite:///FILE or postgresql://..."),
        ("postgresql://teacher@127.0.0.1:1/x", "The database cannot be opened: "),
        ("{folder}", "cannot be used as a database: "),
        ("{folder}/letter.txt", "cannot be used as a database: file is not a database."),
        ("{folder}/letter.txt/x.db", "cannot be used as a database: "),
        ("{folder}/newer.db", "The database has version 999, but this homeroom knows up to"),
        ("{folder}/used.db", "used.db is in use by another homeroom: stop that one"),
        ("{folder}/link.db", "used.db is in use by another homeroom: stop that one"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_one_sentence(
    homeroom: Homeroom, tmp_path: Path, database: str, sentence: str
) -> None:
    (tmp_path / "letter.txt").write_text("Dear school, " * 1000)
    (tmp_path / "link.db").symlink_to(tmp_path / "used.db")
    open_store(str(tmp_path / "newer.db")).close()
    with closing(sqlite3.connect(tmp_path / "newer.db")) as connection, connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (999)")
    with open_store(str(tmp_path / "used.db")):
        place = database.format(folder=tmp_path)
        ran = homeroom("serve", "--port", 0, "--database", place)
    assert ran.code == 2
    assert sentence in ran.err
    assert len(ran.err.splitlines()) == 1


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
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert "cannot be used as a database: file is not a database." in ran.stderr


def test_postgres_without_its_library_names_the_command(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ran = homeroom("serve", "--port", 0, "--database", "postgresql://x@127.0.0.1:1/x")
    assert ran.code == 2
    assert "PostgreSQL needs psycopg: pip install 'homeroom[live,postgres]'" in ran.err


def test_an_error_in_the_program_is_not_taken_for_bad_input(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_host: str) -> str:
        raise LookupError("a bug")

    monkeypatch.setattr(serving, "_in_link", broken)
    with pytest.raises(LookupError, match="a bug"):
        homeroom("serve", "--port", 0, "--database", ":memory:")


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
    [(activity, pictures)] = ran_with[0][0].activities
    assert (activity.name, pictures) == ("birds", {})


def test_an_activity_that_does_not_exist_is_refused(homeroom: Homeroom, tmp_path: Path) -> None:
    ran = homeroom("serve", "--port", 0, "--activity", tmp_path / "nothing")
    assert ran.code == 2
    assert "cannot be read: No such file or directory." in " ".join(ran.err.split())


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
    assert "It listens on the whole network: phones reach it at http://192.0.2.7:80" in said
    assert "The teacher signs in at http://127.0.0.1:80/teacher" in said
    assert "token" not in said
    assert " ".join(errors.split()) == NOT_BUILT


@pytest.mark.slow
def test_the_help_has_an_example(homeroom: Homeroom) -> None:
    shown = homeroom("serve", "--help").out
    assert "homeroom serve --demo" in shown


@pytest.mark.slow
def test_the_commands_write_and_read_a_backup(homeroom: Homeroom, tmp_path: Path) -> None:
    source, target, backup = (tmp_path / name for name in ("one.db", "two.db", "monday.db"))
    with open_store(str(source)) as store:
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
    ran = homeroom("backup", backup, "--database", source)
    assert (ran.code, ran.out) == (0, f"{backup} has 1 class and 0 activities.\n")
    ran = homeroom("restore", backup, "--database", target)
    assert (ran.code, ran.out) == (0, "Added 1 class and 0 activities.\n")
    ran = homeroom("restore", backup, "--database", target)
    assert ran.out.endswith("The database already has 1 class of the backup.\n")
    with open_store(str(target)) as store:
        assert store.find_class(class_id) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("restore", "none.db"), "There is no file none.db."),
        (("restore", "classes.csv"), "The file is not a backup of homeroom."),
        (("backup", "classes.csv"), "classes.csv exists: choose another name for the backup."),
        (("backup", "none/backup.db"), "none/backup.db cannot be written"),
    ],
)
def test_a_wrong_backup_is_refused(
    homeroom: Homeroom,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, str],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes.csv").write_text("name\nAda\n")
    with open_store("one.db"):
        pass
    ran = homeroom(*command, "--database", "one.db")
    assert ran.code == 2
    assert why in " ".join(ran.err.split())
