"""The four species: what is typical of each, and how each is drawn."""

from homeroom.crowd.insects.species.base import FEATURES, KINDS, AbstractSpecies, Look
from homeroom.crowd.insects.species.caterpillar import CaterpillarMoth
from homeroom.crowd.insects.species.peacock import PeacockButterfly
from homeroom.crowd.insects.species.ringlet import RingletButterfly
from homeroom.crowd.insects.species.tiger import TigerMoth

SPECIES: tuple[AbstractSpecies, ...] = (
    CaterpillarMoth(),
    TigerMoth(),
    RingletButterfly(),
    PeacockButterfly(),
)
"""In the paper's order: cmoth, tmoth, rbfly, pbfly."""

__all__ = ["FEATURES", "KINDS", "SPECIES", "AbstractSpecies", "Look"]
