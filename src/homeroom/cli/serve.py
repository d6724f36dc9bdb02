"""``homeroom serve``: the live classroom."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from homeroom._checks import InputError
from homeroom._extras import MissingExtraError
from homeroom.cli.output import print_note

if TYPE_CHECKING:
    from fastapi import FastAPI

    from homeroom.live.access.connections import ConnectionLimits
    from homeroom.live.activities import Upload
    from homeroom.live.settings import ServerSettings
    from homeroom.live.store import EventStore

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
STUDENTS = 24
"""The simulated students of the demo."""

BACKLOG = 2048
"""How many new connections may wait to be accepted."""

CONNECTIONS = 16_384
"""Open files and connections that the server asks the system for."""

MAX_MESSAGE = 4096
"""The longest message that a page may send, in bytes: it sends only "ping"."""

KEEP_ALIVE = 60
"""Seconds for which a connection is kept open between two requests."""

GRACE = 2
"""Seconds that open pages get when the server stops."""


def serve(
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Open a class of simulated students, to try it out.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets phones in the same network join.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free port.")] = 8000,
    database: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="A file, or postgresql://... for several processes."),
    ] = None,
    activity: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PLACE",
            help="An activity to add: a folder, a .zip or .csv, or a crowd's map (.npz). May be "
            "repeated.",
        ),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The public address, if the server runs behind a proxy."),
    ] = None,
    reset_password: Annotated[
        bool, typer.Option("--reset-password", help="Choose a new password for the teacher.")
    ] = False,
) -> None:
    """Open a live classroom: a teacher's page, and a page for every student's phone.

    [bold]Example[/bold]
    $ homeroom serve --demo
    $ homeroom serve --host 0.0.0.0
    $ homeroom serve --activity birds/ --activity map.npz
    """
    _needed()
    from homeroom.live.settings import ServerSettings
    from homeroom.live.store import open_store

    address = _address(origin)
    with ExitStack() as opened:
        bound = opened.enter_context(_listening(host, port))
        port = bound.getsockname()[1]
        settings = ServerSettings(
            database=database or (":memory:" if demo else str(home() / "classroom.db")),
            origin=address,
            phones=_for_phones(host, port),
            demo=STUDENTS if demo else 0,
            activities=_activities(activity or []),
        )
        store = opened.enter_context(open_store(settings.database))
        if reset_password:
            _forget_password(store)
        _run(settings, store, bound, address or f"http://{_in_link(host)}:{port}")


DATABASE = typer.Option(
    metavar="PLACE", help="A file, or postgresql://...; by default the one that serve uses."
)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    *,
    database: Annotated[str | None, DATABASE] = None,
) -> None:
    """Write all classes and activities to one file; the server may be running.

    The teacher's password is not in it.

    [bold]Example[/bold]
    $ homeroom backup monday.db
    $ homeroom backup monday.db --database postgresql://homeroom@db/homeroom
    """
    _needed()
    from homeroom.live.backup import back_up

    counts = back_up(database or str(home() / "classroom.db"), file)
    typer.echo(f"{file} has {_classes(counts.classes)} and {_activities_of(counts.activities)}.")


def restore(
    file: Annotated[Path, typer.Argument(help="A backup, or a database file of homeroom.")],
    *,
    database: Annotated[str | None, DATABASE] = None,
) -> None:
    """Add the classes and activities of a backup that the database does not have.

    Students then join with the code of their class and their names. While a
    server uses the database file, restore on the teacher's page instead.

    [bold]Example[/bold]
    $ homeroom restore monday.db
    """
    _needed()
    from homeroom.live.backup import restore as add

    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    counts = add(database or str(home() / "classroom.db"), file)
    typer.echo(f"Added {_classes(counts.classes)} and {_activities_of(counts.activities)}.")
    if counts.present:
        typer.echo(f"The database already has {_classes(counts.present)} of the backup.")


def _classes(count: int) -> str:
    return f"{count} class" if count == 1 else f"{count} classes"


def _activities_of(count: int) -> str:
    return f"{count} activity" if count == 1 else f"{count} activities"


def _activities(places: Sequence[Path]) -> tuple[Upload, ...]:
    """Return the activities in these files and folders."""
    if not places:
        return ()
    from homeroom.live.activities import read_place

    return tuple(read_place(place) for place in places)


def home() -> Path:
    """Return the folder where classes are stored by default."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "homeroom"


def _needed() -> None:
    """Raise an error that names the install command if a library of the extra is missing."""
    from importlib.util import find_spec

    needed = (
        "PIL",
        "argon2",
        "fastapi",
        "httptools",
        "itsdangerous",
        "limits",
        "python_multipart",
        "segno",
        "uvicorn",
        "websockets",
    )
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"The live classroom needs {', '.join(missing)}: pip install 'homeroom[live]'."
        )


def _address(origin: str | None) -> str | None:
    """Return the public address as browsers send it in ``Origin``, after checking it.

    It is in lower case, without the usual port of its scheme, and without a slash at its end.
    """
    if origin is None:
        return None
    try:
        parts = urlsplit(origin)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise InputError(
            "--origin must be an address such as https://school.example, without a path, but is "
            f"{origin!r}."
        )
    usual = ":443" if parts.scheme == "https" else ":80"
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual)}"


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections from now on, while the rest is still loading."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = None
    try:
        bound = socket.socket(family, socket.SOCK_STREAM)
        # On Windows, SO_REUSEADDR would take a port from a server that listens at it.
        bound.setsockopt(
            socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1
        )
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except (OSError, UnicodeError) as why:
        if bound is not None:
            bound.close()
        reason = getattr(why, "strerror", None) or why
        raise InputError(
            f"Cannot listen at {host}, port {port} ({reason}): try another --host or --port."
        ) from None
    return bound


def _for_phones(host: str, port: int) -> str | None:
    """Return the address of this machine in its network, if the server listens there."""
    if host not in EVERYWHERE:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this looks up our own address
        except OSError:
            return None
        return f"http://{probe.getsockname()[0]}:{port}"


def _in_link(host: str) -> str:
    """Return a host as it is written in a link to this machine."""
    if host in EVERYWHERE:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _forget_password(store: EventStore) -> None:
    """Delete the teacher's password, and end all of the teacher's sessions."""
    from homeroom.live.access.credentials import end_all_sessions
    from homeroom.live.access.passwords import forget_password

    forget_password(store)
    end_all_sessions(store)


def _run(settings: ServerSettings, store: EventStore, bound: socket.socket, address: str) -> None:
    """Run the server on a socket until it is stopped."""
    import uvicorn

    from homeroom.live.access.connections import bounded_protocol
    from homeroom.live.app import create_app

    _allow_connections()
    app = create_app(settings, store)

    class Announcing(uvicorn.Server):
        """A server that prints its address once it listens."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            _announce(app, settings, address, bound.getsockname()[0])

    config = uvicorn.Config(
        app,
        http=bounded_protocol(_connection_limits(behind_proxy=settings.origin is not None)),
        log_level="error",  # a warning for each malformed request would let anyone fill the log
        access_log=False,
        server_header=False,
        proxy_headers=settings.origin is not None,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
    )
    Announcing(config).run(sockets=[bound])


def _allow_connections() -> None:
    """Allow as many open connections as the system permits, where it permits few at first."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < CONNECTIONS:
        most = CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _connection_limits(*, behind_proxy: bool) -> ConnectionLimits:
    """Return the limits of a server, with the addresses of the proxies that are trusted."""
    from homeroom.live.access.connections import ConnectionLimits

    if not behind_proxy:
        return ConnectionLimits()
    trusted = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")  # as uvicorn reads it
    return ConnectionLimits(proxies=frozenset(one.strip() for one in trusted.split(",")))


def _announce(app: FastAPI, settings: ServerSettings, address: str, host: str) -> None:
    """Print the address, who can reach it, and the links to start with, which are not wrapped."""
    from homeroom.live.settings import NOT_BUILT

    typer.echo(f"The live classroom is open at {address}")
    if host in LOOPBACK:
        typer.echo(
            "It listens on this machine only (127.0.0.1): add --host 0.0.0.0 to let phones join."
        )
    elif settings.phones is not None:
        typer.echo(f"It listens on the whole network: phones reach it at {settings.phones}")
    if not (settings.static / "index.html").is_file():
        print_note(NOT_BUILT)
    if app.state.server.passwords.chosen:
        typer.echo(f"The teacher signs in at {address}/teacher")
    else:
        typer.echo("Choose the teacher's password, once, with this link:")
        typer.echo(f"  {address}/teacher/first?token={settings.setup_token}")
    if settings.demo:
        typer.echo(f"{settings.demo} simulated students join the demo class: open it and start.")
        typer.echo(f"  Join the class yourself at {address}/?code={app.state.demo_code}")
    typer.echo("Stop with Ctrl+C.")
