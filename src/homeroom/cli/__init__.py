"""The command ``homeroom``."""

from homeroom.cli.app import main, run

__all__ = ["main", "run"]
