"""Handwriting: score the letters of children, and choose the letters to show them."""

from homeroom.handwriting.files import read_ink, write_ink
from homeroom.handwriting.generators import (
    Child,
    Kinematic,
    Knobs,
    Ranges,
    children,
    corpus,
    generate,
)
from homeroom.handwriting.generators.pen_path import paced, placed
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.lesson import WritingLesson, Written, next_letter, writing_lesson
from homeroom.handwriting.lesson_page import lesson_page
from homeroom.handwriting.letter_pool import LetterPool, LetterTeacher
from homeroom.handwriting.letters import ALPHABET, LETTERS, forms_of, model_from, model_letter
from homeroom.handwriting.pupils import Pupil, kinds_of, pupils, to_classroom
from homeroom.handwriting.resample import by_length, normalised
from homeroom.handwriting.scores import Scores, score, score_all, score_each, typical
from homeroom.handwriting.scores.form_learning import learn_forms
from homeroom.handwriting.svg import sheet
from homeroom.handwriting.trajectories import trajectories

__all__ = [
    "ALPHABET",
    "LETTERS",
    "Child",
    "Ink",
    "Kinematic",
    "Knobs",
    "LetterPool",
    "LetterTeacher",
    "Pupil",
    "Ranges",
    "Scores",
    "Stroke",
    "WritingLesson",
    "Written",
    "by_length",
    "children",
    "corpus",
    "forms_of",
    "generate",
    "kinds_of",
    "learn_forms",
    "lesson_page",
    "model_from",
    "model_letter",
    "next_letter",
    "normalised",
    "paced",
    "placed",
    "pupils",
    "read_ink",
    "score",
    "score_all",
    "score_each",
    "sheet",
    "to_classroom",
    "trajectories",
    "typical",
    "write_ink",
    "writing_lesson",
]
