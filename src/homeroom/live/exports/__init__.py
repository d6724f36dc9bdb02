"""A class for others to read: CSV, JSON, xAPI, and a report to print."""

from homeroom.live.exports.everything import json_of
from homeroom.live.exports.report import policy_of, report_of
from homeroom.live.exports.table import csv_of
from homeroom.live.exports.xapi import xapi_of

__all__ = ["csv_of", "json_of", "policy_of", "report_of", "xapi_of"]
