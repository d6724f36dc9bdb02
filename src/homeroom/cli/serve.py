"""``homeroom serve``: the live classroom."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from homeroom._checks import InputError
from homeroom._extras import MissingExtraError, install_command
from homeroom.cli.command import Bounds
from homeroom.cli.output import print_note

if TYPE_CHECKING:
    from fastapi import FastAPI

    from homeroom.live.access.connections import ConnectionLimits
    from homeroom.live.activities import Upload
    from homeroom.live.settings import ServerSettings
    from homeroom.live.store import EventStore

NEEDED = (
    *("PIL", "argon2", "fastapi", "httptools", "itsdangerous", "limits", "python_multipart"),
    *("segno", "uvicorn", "websockets"),
)
"""The libraries of the extra."""

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
    demo: bool = False,
    host: str = "127.0.0.1",
    port: Annotated[int, Bounds(0, 65535)] = 8000,
    database: str | None = None,
    activity: list[Path] | None = None,
    origin: str | None = None,
    reset_password: bool = False,
) -> None:
    """Open a live classroom: a teacher's page, and a page for every student's phone.

    [bold]Example[/bold]
    $ homeroom serve --demo
    $ homeroom serve --host 0.0.0.0
    $ homeroom serve --activity birds/ --activity map.npz

    Parameters
    ----------
    demo
        Open a class of simulated students, to try it out.
    host
        Where to listen; 0.0.0.0 lets phones in the same network join.
    port
        0 takes a free port.
    database : PLACE
        A file, or postgresql://... for several processes.
    activity : PLACE
        An activity to add: a folder, a .zip or .csv, or a crowd's map (.npz). May be repeated.
    origin : URL
        The public address, if the server runs behind a proxy.
    reset_password
        Choose a new password for the teacher.
    """
    check_extra()
    from homeroom.live.settings import ServerSettings
    from homeroom.live.store import open_store

    address = _parse_origin(origin)
    with ExitStack() as opened:
        bound = opened.enter_context(_listen(host, port))
        port = bound.getsockname()[1]
        settings = ServerSettings(
            database=find_database(database, ":memory:" if demo else None),
            origin=address,
            phones=_find_phone_address(host, port),
            demo=STUDENTS if demo else 0,
            activities=_read_activities(activity or []),
        )
        store = opened.enter_context(open_store(settings.database))
        if reset_password:
            _forget_password(store)
        _run(settings, store, bound, address or f"http://{_host_in_link(host)}:{port}")


def find_database(database: str | None, usual: str | None = None) -> str:
    """Return the database that is meant; refuse a file in a folder that does not exist."""
    if database is None:
        return usual or str(home() / "classroom.db")
    from homeroom.live.store.store import file_of, is_on_server

    if not is_on_server(database):
        folder = Path(file_of(database)).parent
        if not folder.exists():
            raise InputError(
                f"There is no folder {folder} for the database {database}: make it first, or "
                "correct --database."
            )
    return database


def _read_activities(places: Sequence[Path]) -> tuple[Upload, ...]:
    """Return the activities in these files and folders."""
    if not places:
        return ()
    from homeroom.live.activities import read_place

    uploads = tuple(read_place(place) for place in places)
    for upload in uploads:
        if upload.skipped:
            names = ", ".join(map(repr, upload.skipped[:8]))
            typer.echo(f"{upload.activity.name}: questions that cannot be asked: {names}", err=True)
    return uploads


def home() -> Path:
    """Return the folder where classes are stored by default."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "homeroom"


def check_extra() -> None:
    """Raise an error that names the install command if a library of the extra is missing."""
    missing = ", ".join(name for name in NEEDED if find_spec(name) is None)
    if missing:
        raise MissingExtraError(f"The live classroom needs {missing}: {install_command('live')}.")


def _parse_origin(origin: str | None) -> str | None:
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


def _listen(host: str, port: int) -> socket.socket:
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


def _find_phone_address(host: str, port: int) -> str | None:
    """Return the address of this machine in its network, if the server listens there."""
    if host not in EVERYWHERE:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this looks up our own address
        except OSError:
            return None
        return f"http://{probe.getsockname()[0]}:{port}"


def _host_in_link(host: str) -> str:
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
