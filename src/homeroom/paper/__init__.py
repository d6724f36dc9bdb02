"""The paper's figures, one file each, and its claims, computed."""

from homeroom.paper.bounds import Bounds
from homeroom.paper.cells import Cell, Row, Store, processes, run_cells
from homeroom.paper.dip import Dip
from homeroom.paper.fig1b import Figure1b
from homeroom.paper.fig2 import Figure2
from homeroom.paper.fig3a import Figure3a
from homeroom.paper.fig3b import Figure3b
from homeroom.paper.fig3c import Figure3c
from homeroom.paper.fig3d import Figure3d
from homeroom.paper.fig3e import Figure3e
from homeroom.paper.fig3f import Figure3f
from homeroom.paper.fig4a import Figure4a
from homeroom.paper.fig4b import Figure4b
from homeroom.paper.fig4c import Figure4c
from homeroom.paper.fig4d import Figure4d
from homeroom.paper.fig4e import Figure4e
from homeroom.paper.fig4f import Figure4f
from homeroom.paper.fig5a import Figure5a
from homeroom.paper.fig5b import Figure5b
from homeroom.paper.fig5c import Figure5c
from homeroom.paper.fig6a import Figure6a
from homeroom.paper.fig6b import Figure6b
from homeroom.paper.fig6c import Figure6c
from homeroom.paper.fig6d import Figure6d
from homeroom.paper.fig6e import Figure6e
from homeroom.paper.fig6f import Figure6f
from homeroom.paper.fig6g import Figure6g
from homeroom.paper.figure import AbstractFigure, Plan
from homeroom.paper.knowledge import KnowledgeStudents, KnowledgeTeacher
from homeroom.paper.letters import Letters
from homeroom.paper.pool_richness import PoolRichness
from homeroom.paper.robust import Langevin, NoisyW, RandomRates
from homeroom.paper.scaling import Accuracy, Rank, Size
from homeroom.paper.sensitivity import Sensitivity
from homeroom.paper.settings import Settings
from homeroom.paper.stall import Stall
from homeroom.paper.who import WhoTakesLonger

FIGURES: dict[str, AbstractFigure] = {
    figure.name: figure
    for figure in (
        Figure1b(),
        Figure2(),
        Figure3a(),
        Figure3b(),
        Figure3c(),
        Figure3d(),
        Figure3e(),
        Figure3f(),
        Figure4a(),
        Figure4b(),
        Figure4c(),
        Figure4d(),
        Figure4e(),
        Figure4f(),
        Figure5a(),
        Figure5b(),
        Figure5c(),
        Figure6a(),
        Figure6b(),
        Figure6c(),
        Figure6d(),
        Figure6e(),
        Figure6f(),
        Figure6g(),
        WhoTakesLonger(),
        Dip(),
        KnowledgeTeacher(),
        KnowledgeStudents(),
        RandomRates(),
        NoisyW(),
        Langevin(),
        PoolRichness(),
        Rank(),
        Accuracy(),
        Size(),
        Letters(),
        Bounds(),
        Stall(),
        Sensitivity(),
    )
}
"""Every figure by its name, in the order of the report."""

__all__ = [
    "FIGURES",
    "AbstractFigure",
    "Cell",
    "Plan",
    "Row",
    "Settings",
    "Store",
    "processes",
    "run_cells",
]
