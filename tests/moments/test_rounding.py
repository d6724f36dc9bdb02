import numpy as np

from homeroom.moments.rounding import GapRounding


def test_errors_of_gaps_are_those_that_rounding_makes() -> None:
    """Gaps in single precision, compared with double."""
    rng = np.random.default_rng(0)
    gaps, rates = rng.standard_normal((200, 6)), np.full(200, 0.75)
    xs = 0.8 * rng.standard_normal((60, 6))
    xs[::7] *= 2.0
    unit = float(np.finfo(np.float32).eps)
    rounding = GapRounding(rates, 6, unit)
    gaps = gaps.astype(np.float32).astype(np.float64)
    xs = xs.astype(np.float32).astype(np.float64)
    single = gaps.astype(np.float32)
    for x in xs:
        rounding.show(x[None], np.array([(gaps**2).sum(axis=1).mean()]))
        gaps -= (rates * (gaps @ x))[:, None] * x
        here = x.astype(np.float32)
        single -= (rates.astype(np.float32) * (single @ here))[:, None] * here
    found = ((single - gaps) ** 2).sum(axis=1).mean()
    assert rounding.rounds == len(xs)
    assert found <= rounding.spread <= 1000.0 * found
