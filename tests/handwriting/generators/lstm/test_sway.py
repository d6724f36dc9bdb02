"""How far a letter's form strays."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.generators.lstm.sway import PLAIN, Noise, Sway
from homeroom.handwriting.generators.lstm.tracks import Floats32


def steps(sways: tuple[Sway, ...], letters: int = 4000, many: int = 40) -> Floats32:
    noise = Noise(letters, sways, np.random.default_rng(0))
    return np.stack([noise.draw() for _ in range(many)])


def test_without_sway_the_draws_are_the_networks_own() -> None:
    found = steps(PLAIN)
    assert abs(found.std() - 1) < 0.01
    assert abs((found[1:] * found[:-1]).mean()) < 0.01


def test_the_gain_counts_for_what_is_slow_only() -> None:
    """Power at zero frequency goes as the gain squared; at the highest it changes by 0.1 a gain."""
    for gain in (0.0, 1.4):
        power = np.abs(np.fft.rfft(steps((Sway(1.0, 0.8, gain),), many=256), axis=0)) ** 2
        slow, quick = power[1:3].mean() / 256, power[-20:].mean() / 256
        assert abs(slow - max(gain**2, 0.0)) < 0.15
        assert abs(quick - (1 + 0.11 * (gain - 1)) ** 2) < 0.05


def test_each_letter_keeps_its_sway_when_others_end() -> None:
    sways = (Sway(0.5, 0.8, 0.0), Sway(0.5, 0.8, 2.0))
    noise = Noise(2000, sways, np.random.default_rng(0))
    steady = noise._extra[:, 0] < 0
    noise.keep(steady)
    later = np.stack([noise.draw() for _ in range(200)]).sum(axis=0)
    assert later.shape == (steady.sum(), 2)
    assert later.std() < 0.25 * steps(sways[1:], 2000, 200).sum(axis=0).std()


def test_shares_say_how_many_letters_have_which_sway() -> None:
    sways = (Sway(0.3, 0.5, 0.0), Sway(0.7, 0.5, 1.0))
    noise = Noise(20_000, sways, np.random.default_rng(0))
    assert abs((noise._extra == -1).mean() - 0.3) < 0.01
