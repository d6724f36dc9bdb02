"""What a file is called that a teacher takes away."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

LONGEST = 60
SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)


def file_name(name: str, day: date, ending: str) -> str:
    """Return a file's name that tells the class and the day, in letters that any machine takes.

    Parameters
    ----------
    name
        What the class is called.
    day
        When something happened in it last.
    ending
        What kind of file it is.

    >>> file_name("4b, Schüler am Dienstag", date(2025, 6, 15), "csv")
    '4b-Schueler-am-Dienstag-2025-06-15.csv'
    >>> file_name("三年级", date(2025, 6, 15), "xapi.jsonl")
    'class-2025-06-15.xapi.jsonl'
    """
    spelled = unicodedata.normalize("NFC", name).translate(SPELLED)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    words = "-".join(re.findall(r"[A-Za-z0-9]+", plain))[:LONGEST].strip("-")
    return f"{words or 'class'}-{day.isoformat()}.{ending}"
