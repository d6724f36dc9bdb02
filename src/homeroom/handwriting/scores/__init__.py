"""Scores: how far a letter is from its model, in three BHK-inspired defects; no diagnosis."""

from homeroom.handwriting.scores.score import (
    FEATURES,
    Scores,
    score,
    score_all,
    score_each,
    typical,
)

__all__ = ["FEATURES", "Scores", "score", "score_all", "score_each", "typical"]
