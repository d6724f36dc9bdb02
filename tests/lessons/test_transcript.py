from __future__ import annotations

import numpy as np

from homeroom import Classroom, Individuals, MeanTeacher, teach
from homeroom.lessons.transcript import (
    CODES,
    StoppedBecause,
    StraightTranscript,
    Transcript,
)


def written() -> Transcript:
    return Transcript(
        rounds=np.array([2, 0, 1]),
        stops=np.array([0, 0, 1]),
        all_errors=np.array([4.0, 2.0, 1.0, 0.5, 9.0, 8.0]),
        all_farthest=np.array([2.0, 1.5, 1.0, 0.7, 3.0, 2.9]),
        xs=np.arange(6.0).reshape(3, 2),
        ys=np.array([10.0, 11.0, 12.0]),
        items=np.array([-1, 5, 6]),
    )


def test_each_group_finds_its_own_rows() -> None:
    transcript = written()
    assert [transcript.errors(group).tolist() for group in range(3)] == [[4, 2, 1], [0.5], [9, 8]]
    assert transcript.farthest(2).tolist() == [3.0, 2.9]
    xs, ys, items, groups = transcript.examples([2, 0])
    assert xs.tolist() == [[4, 5], [0, 1], [2, 3]]
    assert (ys.tolist(), items.tolist(), groups.tolist()) == ([12, 10, 11], [6, -1, 5], [2, 0, 0])
    assert transcript.examples(np.arange(3)).groups.tolist() == [0, 0, 2]
    assert transcript.examples([1]).xs.shape == (0, 2)


def test_side_by_side_is_every_groups_error_by_its_share() -> None:
    room = Classroom.sample(students=9, dimensions=3, rates=(0.02, 0.3))
    closed = teach(room, groups=Individuals()).transcript
    for transcript, shares in ((written(), np.array([0.5, 0.3, 0.2])), (closed, np.arange(9.0))):
        rounds = range(int(transcript.rounds.max()) + 1)
        expected = [shares @ transcript.errors_at(number) for number in rounds]
        np.testing.assert_allclose(transcript.side_by_side(shares), expected, rtol=1e-13)


def test_the_closed_form_and_the_written_transcript_agree() -> None:
    room = Classroom.sample(students=9, dimensions=3, rates=(0.02, 0.3))
    closed = teach(room, groups=Individuals()).transcript
    listed = teach(room, groups=Individuals(), teacher=MeanTeacher()).transcript
    assert isinstance(closed, StraightTranscript)
    assert isinstance(listed, Transcript)
    np.testing.assert_array_equal(closed.rounds, listed.rounds)
    for some in (np.arange(9), [4, 2], [0]):
        for part, other in zip(closed.examples(some), listed.examples(some), strict=True):
            np.testing.assert_allclose(part, other, atol=1e-12)
    for number in (0, 3, 1000):
        np.testing.assert_allclose(closed.errors_at(number), listed.errors_at(number), atol=1e-12)
    np.testing.assert_allclose(closed.farthest(3), listed.farthest(3), atol=1e-7)


def test_the_numbers_in_files_stay_what_they_are() -> None:
    """Otherwise the meaning of old files would change."""
    assert [reason.name for reason in CODES] == [
        "GOAL",
        "ROUNDS",
        "STUCK",
        "DIVERGED",
        "OPEN",
        "ROUNDING",
    ]
    assert all(" " in reason.value for reason in StoppedBecause)
