"""What a teacher needs to know of a class, whatever its size."""

from homeroom.moments.observation import Observation
from homeroom.moments.second import AbstractMoments, FewStudents, Moments, moments_of

__all__ = ["AbstractMoments", "FewStudents", "Moments", "Observation", "moments_of"]
