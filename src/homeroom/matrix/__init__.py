"""The benchmark of machine teaching: every teacher under every learner, on several tasks.

S. Doroudi, V. Aleven, E. Brunskill: *Robust Evaluation Matrix*, Learning at Scale 2017. A simulated
class flatters the teacher that assumes it, so a teacher should be tried under all of them.
"""

from homeroom.matrix.lesson_cells import lesson_row
from homeroom.matrix.matrix import Chosen, measured, shipped_results
from homeroom.matrix.summary import CellResult, TeacherSummary, summarised
from homeroom.matrix.tasks import LEARNERS, TASKS, TEACHERS, BenchTask

__all__ = [
    "LEARNERS",
    "TASKS",
    "TEACHERS",
    "BenchTask",
    "CellResult",
    "Chosen",
    "TeacherSummary",
    "lesson_row",
    "measured",
    "shipped_results",
    "summarised",
]
