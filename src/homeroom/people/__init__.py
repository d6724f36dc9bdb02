"""Teach a class of people: which item comes next, and what the class knows."""

from homeroom.people.beliefs import ClassKnowledge
from homeroom.people.lesson import PeopleLesson

__all__ = ["ClassKnowledge", "PeopleLesson"]
