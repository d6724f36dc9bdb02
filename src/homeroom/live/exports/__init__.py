"""A class for others to read: CSV, JSON, xAPI, and what a report tells."""

from homeroom.live.exports.everything import json_of
from homeroom.live.exports.file_name import file_name
from homeroom.live.exports.report import report_of
from homeroom.live.exports.table import csv_of
from homeroom.live.exports.xapi import xapi_of

__all__ = ["csv_of", "file_name", "json_of", "report_of", "xapi_of"]
