"""Scores: three BHK-inspired defects of a letter relative to its model. Not a diagnosis."""

from homeroom.handwriting.scores.score import (
    FEATURES,
    Scores,
    score,
    score_all,
    score_each,
    typical,
)

__all__ = ["FEATURES", "Scores", "score", "score_all", "score_each", "typical"]
