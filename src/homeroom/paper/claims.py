"""The paper's empirical claims, each held against what was measured. Computed, not written."""

from __future__ import annotations

# Imported for what they enter, in the order of the report.
from homeroom.paper import claims_classes as _classes  # noqa: F401
from homeroom.paper import claims_diagrams as _diagrams  # noqa: F401
from homeroom.paper import claims_insects as _insects  # noqa: F401
from homeroom.paper import claims_letters as _letters  # noqa: F401
from homeroom.paper import claims_proofs as _proofs  # noqa: F401
from homeroom.paper.claim import ENTRIES, Claim, Tables, Verdict

__all__ = ["Claim", "Verdict", "check_claims"]


def check_claims(tables: Tables) -> list[Claim]:
    """Return every claim whose measurements are there, judged."""
    return [
        Claim(entry.text, entry.place, *entry.judge(tables))
        for entry in ENTRIES
        if all(name in tables for name in entry.needs)
    ]
