"""Where examples may come from."""

from homeroom.pools.ball import Ball
from homeroom.pools.base import AbstractPool, Candidates, Pick, SeesMoments
from homeroom.pools.directions import DirectionPool
from homeroom.pools.items import ItemPool

__all__ = ["AbstractPool", "Ball", "Candidates", "DirectionPool", "ItemPool", "Pick", "SeesMoments"]
