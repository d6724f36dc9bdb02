"""How to train."""

from __future__ import annotations

from homeroom.handwriting.generators.lstm.training import Settings


def test_the_rate_rises_and_then_falls_to_zero() -> None:
    settings = Settings(steps=20_000, rate=2e-3)
    rates = [settings.rate_at(step) for step in range(settings.steps)]
    top = max(range(settings.steps), key=rates.__getitem__)
    assert 900 <= top <= 1000
    assert rates[0] < 1e-5
    assert 1.95e-3 < rates[top] < 2e-3
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 1e-8
