"""Read and write files of ink."""

from homeroom.handwriting.files.read_write import read_ink, write_ink

__all__ = ["read_ink", "write_ink"]
