"""Who passes over the pieces of a large class: this process, or a cluster."""

from homeroom.classroom.runners.base import AbstractRunner
from homeroom.classroom.runners.on_dask import OnDask
from homeroom.classroom.runners.one_by_one import OneByOne

__all__ = ["AbstractRunner", "OnDask", "OneByOne"]
