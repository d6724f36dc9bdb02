"""Examples so long that a student moves away from the target."""

from __future__ import annotations

LONG = 2.0 * (1 + 1e-9)
"""A student whose ``rate * |x|^2`` is above this may move away from the target (squared loss)."""

MAY_MOVE_AWAY = "rounds in which a fast student may have moved away"
"""The name of their count in a record."""
