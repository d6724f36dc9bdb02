"""Pieces of a large class: students in files or collections, read one piece at a time."""

from homeroom.classroom.pieces.base import AbstractPiece, Block

__all__ = ["AbstractPiece", "Block"]
