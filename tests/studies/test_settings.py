import math
import re

import pytest

from homeroom import InputError
from homeroom.studies.settings import PaperSettings


def test_settings_survive_json() -> None:
    for settings in (PaperSettings(), PaperSettings(state_radius=4.0, stop="class")):
        assert PaperSettings.from_json(settings.as_json()) == settings
    assert PaperSettings().as_json()["state_radius"] is None


def test_a_setting_is_changed_by_its_name() -> None:
    changed = PaperSettings().change("students=20").change("spread=0.5, noise=normal")
    assert (changed.students, changed.spread, changed.noise) == (20, 0.5, "normal")
    assert math.isinf(PaperSettings(state_radius=3.0).change("state_radius=inf").state_radius)


REFUSED = (
    *("students=many", "students=1e3", "students=0", "eps=", "eps=1e-320", "eps=-1", "centre=-1"),
    *("mixed_slowest=0.5", "rate_law=odd", "state_radius=0", "state_radius=nan", "states=cubic"),
    *("noise=loud", "stop=never", "group_magnitude=huge", "insects=-1"),
    *("crowd_students=3", "crowd_eps=1e-320", "crowd_rate=0", "crowd_noise=-1"),
    *("pen_children=2", "pen_pool=5", "pen_eps=1e-320", "pen_rate=0", "pen_best=1"),
    *("pen_sharpness=0", "pen_letter=F", "pen_generator=me", "pen_loss=odd", "pen_form=odd"),
)


@pytest.mark.parametrize("text", REFUSED)
def test_a_value_that_makes_no_sense_is_refused_with_the_setting(text: str) -> None:
    name = text.partition("=")[0]
    with pytest.raises(InputError, match=rf"^{re.escape(repr(text))} cannot be set: .*\b{name}\b"):
        PaperSettings().change(text)


@pytest.mark.parametrize("text", ["colour=red", "students"])
def test_an_unknown_setting_is_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(InputError, match=f"^{text!r} is .* students, dimensions, eps"):
        PaperSettings().change(text)
