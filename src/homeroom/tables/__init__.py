"""Tables that other programs wrote: text files, JSON lines, Parquet, class lists."""

from homeroom.tables.columns import ColumnNames, find_column, normalized, normalized_header
from homeroom.tables.delimited import rows_in
from homeroom.tables.formats import open_table
from homeroom.tables.mapping import Pairs, read_pairs
from homeroom.tables.spreadsheet import rows_of_file
from homeroom.tables.table import Table, quoted, refuse_dropped_rows
from homeroom.tables.text import cell, has_decimal_commas, tidy

__all__ = [
    "ColumnNames",
    "Pairs",
    "Table",
    "cell",
    "find_column",
    "has_decimal_commas",
    "normalized",
    "normalized_header",
    "open_table",
    "quoted",
    "read_pairs",
    "refuse_dropped_rows",
    "rows_in",
    "rows_of_file",
    "tidy",
]
