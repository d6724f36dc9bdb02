"""Teaching algorithms that others published, on the same terms as a plug-in.

Each module has one family: its formula, its source, and how it is checked.
"""

from homeroom.teachers.published.curricula import CurriculumTeacher, UncertaintyTeacher
from homeroom.teachers.published.forgetful import ForgetfulGreedyTeacher, RecallTeacher
from homeroom.teachers.published.imitation import ImitationTeacher
from homeroom.teachers.published.iterative import OmniscientTeacher, SurrogateTeacher
from homeroom.teachers.published.label_synthesis import LabelSynthesisTeacher
from homeroom.teachers.published.max_gradient import MaxGradientTeacher
from homeroom.teachers.published.minimax import MinimaxTeacher
from homeroom.teachers.published.reviews import LeitnerTeacher
from homeroom.teachers.published.strict import StrictTeacher

__all__ = [
    "CurriculumTeacher",
    "ForgetfulGreedyTeacher",
    "ImitationTeacher",
    "LabelSynthesisTeacher",
    "LeitnerTeacher",
    "MaxGradientTeacher",
    "MinimaxTeacher",
    "OmniscientTeacher",
    "RecallTeacher",
    "StrictTeacher",
    "SurrogateTeacher",
    "UncertaintyTeacher",
]
