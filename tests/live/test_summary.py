from homeroom.live.activities import insects
from homeroom.live.classbook import ClassBook
from homeroom.live.events import Enrolled, Event, Joined, Left, Opened, Paused, PhaseBegan, Removed
from homeroom.live.summary import Summary

EVENTS: list[Event] = [
    Opened("5b", "insects", "ABC234"),
    Enrolled("s1", "Ada"),
    Joined("s1", "Ada"),
    Joined("s2", "Ben"),
    PhaseBegan("pretest"),
    Left("s2"),
    Paused(True),
]


def test_a_summary_says_what_the_book_says() -> None:
    summary, book = Summary(), ClassBook.begin(insects.activity())
    for event in EVENTS:
        summary, book = summary.after(event), book.after(event)
        assert summary.version == book.version
        assert summary.phase == book.state.phase
        assert summary.students == set(book.state.people)


def test_who_was_removed_is_not_counted() -> None:
    summary = Summary().after(Joined("s1", "Ada")).after(Joined("s2", "Ben"))
    assert summary.after(Removed(("s1",))).students == {"s2"}
