"""Ink on disk: one file here for each format."""

from homeroom.handwriting.files.read_write import MAX_BYTES, read_ink, write_ink

__all__ = ["MAX_BYTES", "read_ink", "write_ink"]
