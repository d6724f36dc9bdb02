"""Laws are tried on the same cases in every run, and may take their time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("laws", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("laws")
