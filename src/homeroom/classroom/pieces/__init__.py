"""Where the students of a large class are: files and collections, read a piece at a time."""

from homeroom.classroom.pieces.base import AbstractNamedPiece, AbstractPiece, Block

__all__ = ["AbstractNamedPiece", "AbstractPiece", "Block"]
