"""``homeroom backup`` and ``restore``: the classes and activities of a server in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homeroom._checks import counted
from homeroom._files import check_file
from homeroom.cli.command import command
from homeroom.cli.result import Result
from homeroom.cli.serve import check_extra, find_database

if TYPE_CHECKING:
    from homeroom.live.backup import BackupCounts


@command(output=None)
def backup(file: Path, *, database: str | None = None) -> Result:
    """Write all classes and activities to one file; the server may be running.

    The teacher's password is not in it.

    [bold]Example[/bold]
    $ homeroom backup monday.db
    $ homeroom backup monday.db --database postgresql://homeroom@db/homeroom

    Parameters
    ----------
    file : FILE
        The file to write; it must not exist.
    database : PLACE
        A file, or postgresql://...; by default the one that serve uses.
    """
    check_extra()
    from homeroom.live.backup import back_up

    counts = back_up(find_database(database), file)
    return _describe_backup("Backup", f"{file} has", file, counts)


@command(output=None)
def restore(file: Path, *, database: str | None = None) -> Result:
    """Add the classes and activities of a backup that the database does not have.

    Students then join with the code of their class and their names. While a
    server uses the database file, restore on the teacher's page instead.

    [bold]Example[/bold]
    $ homeroom restore monday.db

    Parameters
    ----------
    file : FILE
        A backup, or a database file of homeroom.
    database : PLACE
        A file, or postgresql://...; by default the one that serve uses.
    """
    check_extra()
    from homeroom.live.backup import restore as add

    check_file(file)
    counts = add(find_database(database), file)
    result = _describe_backup("Restored", "Added", file, counts)
    if counts.present:
        classes = counted(counts.present, "class", "classes")
        result.sentence(f"The database already has {classes} of the backup.")
    return result


def _describe_backup(title: str, what: str, file: Path, counts: BackupCounts) -> Result:
    """Return the result of a backup: how many classes and activities it has."""
    classes = counted(counts.classes, "class", "classes")
    activities = counted(counts.activities, "activity", "activities")
    result = Result(title, {"file": str(file), **counts._asdict()})
    result.sentence(f"{what} {classes} and {activities}.")
    return result
