"""A class for other programs: CSV, JSON, InkML, xAPI statements, and the data of a report."""

from homeroom.live.exports.report import json_of, report_of
from homeroom.live.exports.table import csv_of, experiment_of, file_name, inkml_of
from homeroom.live.exports.xapi import xapi_of

__all__ = ["csv_of", "experiment_of", "file_name", "inkml_of", "json_of", "report_of", "xapi_of"]
