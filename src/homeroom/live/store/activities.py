"""The part of the store beside the events: uploaded activities with pictures, and settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from homeroom.live.activities.base import Activity, Picture
from homeroom.live.refused import Refused
from homeroom.live.store.database import AbstractDatabase, Cursor


class ActivityStore:
    """Uploaded activities, and settings by name.

    Parameters
    ----------
    database
        The database.
    clock
        Returns the time in seconds since 1970.
    """

    def __init__(self, database: AbstractDatabase, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def setting(self, name: str) -> str | None:
        """Return a setting, or ``None``."""
        rows = self._database.read("SELECT value FROM settings WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def set_setting(self, name: str, value: str, *, only_if_new: bool = False) -> bool:
        """Store a setting; return whether it has this value now.

        With ``only_if_new``, a setting that exists is not changed.
        """
        otherwise = "NOTHING" if only_if_new else "UPDATE SET value = excluded.value"

        def job(cursor: Cursor) -> bool:
            cursor.run(
                "INSERT INTO settings (name, value) VALUES (?, ?) "
                f"ON CONFLICT (name) DO {otherwise}",
                (name, value),
            )
            return cursor.run("SELECT value FROM settings WHERE name = ?", (name,)) == [(value,)]

        return self._database.write(job).result()

    def save_activity(
        self,
        activity: Activity,
        pictures: Mapping[str, Picture],
        *,
        instead_of: str | None = None,
    ) -> None:
        """Store an activity with its pictures, which are given by item.

        Parameters
        ----------
        activity, pictures
            The activity, and the picture of each item that has one.
        instead_of
            The activity that it replaces; classes that have used that one keep it.
        """
        body, at = json.dumps(activity.to_json()), self._clock()
        rows = [(activity.id, item, one.media, one.data) for item, one in pictures.items()]

        def job(cursor: Cursor) -> None:
            cursor.run("DELETE FROM activities WHERE id = ?", (activity.id,))
            if instead_of is not None:
                used = "SELECT 1 FROM lessons WHERE lessons.activity = activities.id"
                cursor.run(
                    f"DELETE FROM activities WHERE id = ? AND NOT EXISTS ({used})", (instead_of,)
                )
                cursor.run("UPDATE activities SET hidden = 1 WHERE id = ?", (instead_of,))
            cursor.run(
                "INSERT INTO activities (id, name, created, body) VALUES (?, ?, ?, ?)",
                (activity.id, activity.name, at, body),
            )
            for row in rows:
                cursor.run(
                    "INSERT INTO pictures (activity, item, media, data) VALUES (?, ?, ?, ?)", row
                )

        self._database.write(job).result()

    def activities(self, *, hidden: bool = False) -> list[Activity]:
        """Return all uploaded activities, the newest first.

        With ``hidden``, also those that were replaced, but that classes have used.
        """
        rows = self._database.read(
            "SELECT body FROM activities WHERE hidden <= ? ORDER BY created DESC, id",
            (int(hidden),),
        )
        return [Activity.from_json(json.loads(body)) for (body,) in rows]

    def activity(self, activity_id: str) -> Activity | None:
        """Return an uploaded activity by its id."""
        rows = self._database.read("SELECT body FROM activities WHERE id = ?", (activity_id,))
        return Activity.from_json(json.loads(rows[0][0])) if rows else None

    def picture(self, activity_id: str, item: str) -> Picture | None:
        """Return the uploaded picture of an item."""
        rows = self._database.read(
            "SELECT media, data FROM pictures WHERE activity = ? AND item = ?", (activity_id, item)
        )
        return Picture(str(rows[0][0]), bytes(rows[0][1])) if rows else None

    def pictures(self, activity_id: str) -> dict[str, Picture]:
        """Return the uploaded pictures of an activity, by item."""
        rows = self._database.read(
            "SELECT item, media, data FROM pictures WHERE activity = ?", (activity_id,)
        )
        return {item: Picture(str(media), bytes(data)) for item, media, data in rows}

    def delete_activity(self, activity_id: str) -> bool:
        """Delete an activity and return whether there was one; refuse one that a class has used."""

        def job(cursor: Cursor) -> bool:
            used = (
                "SELECT name FROM classes JOIN lessons ON lessons.class_id = classes.id "
                "WHERE lessons.activity = ?"
            )
            for (name,) in cursor.run(used, (activity_id,)):
                raise Refused("activity_in_use", name=name)
            deleted = cursor.run("DELETE FROM activities WHERE id = ? RETURNING id", (activity_id,))
            return bool(deleted)

        return self._database.write(job).result()
