"""Read and write files of ink."""

from homeroom.handwriting.files.read_write import MAX_BYTES, read_ink, write_ink

__all__ = ["MAX_BYTES", "read_ink", "write_ink"]
