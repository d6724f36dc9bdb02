"""Reading answers from the tables that people have.

A table has a row for each answer, with columns such as ``student, item, answer`` and perhaps
``time`` and ``label`` (the expert's), under the names that other tools use
(:data:`homeroom.crowd.reading.columns.ALIASES`) or those that you say; or a row for each person and
a column for each item (or the other way round), blank where there is no answer. Text files may be
separated by commas, tabs, semicolons, bars or blanks. Three columns without a header are item,
person and answer, as in ``0 12 1``; a first line ``items people answers`` with their numbers may
stand above them.
"""

from homeroom.crowd.reading.read import read

__all__ = ["read"]
