"""Reading answers from the tables that users have.

A table has one row per answer, with columns such as ``student, item, answer`` and perhaps ``time``
and ``label`` (the expert's), under the names that other tools use
(``homeroom/tables/aliases.toml``) or the names that you give. Or it has one row per
annotator and one column per item (or the other way round), blank where there is no answer. Cells
of text files may be separated by commas, tabs, semicolons, bars or blanks. Three columns without a
header are item, annotator and answer, as in ``0 12 1``; a first line ``items annotators answers``
with their numbers may precede them.
"""

from homeroom.crowd.reading.read import read

__all__ = ["read"]
