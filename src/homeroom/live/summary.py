"""What a list of classes says of each, without opening it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from homeroom.live.events import Enrolled, Event, Joined, PhaseBegan, Removed


@dataclass(frozen=True)
class Summary:
    """How far a class is, and who is in it.

    Parameters
    ----------
    version
        How many events there were.
    phase
        What it is doing.
    students
        Everybody who joined or is on the roster, by id.

    Examples
    --------
    >>> Summary().after(Joined("s1", "Ada")).after(PhaseBegan("teach"))
    Summary(version=2, phase='teach', students=frozenset({'s1'}))
    """

    version: int = 0
    phase: str = "lobby"
    students: frozenset[str] = field(default_factory=frozenset)

    def after(self, event: Event) -> Summary:
        """Return the summary after one more event."""
        later = replace(self, version=self.version + 1)
        match event:
            case PhaseBegan(phase):
                return replace(later, phase=phase)
            case Joined(student=student) | Enrolled(student=student):
                return replace(later, students=later.students | {student})
            case Removed(students=students):
                return replace(later, students=later.students - set(students))
            case _:
                return later
