import math

import pytest

from homeroom.paper import PaperSettings


def test_settings_survive_json() -> None:
    for settings in (PaperSettings(), PaperSettings(state_radius=4.0, stop="class")):
        assert PaperSettings.from_json(settings.as_json()) == settings
    assert PaperSettings().as_json()["state_radius"] is None


def test_a_setting_is_changed_by_its_name() -> None:
    changed = PaperSettings().changed("students=20").changed("spread=0.5, noise=normal")
    assert (changed.students, changed.spread, changed.noise) == (20, 0.5, "normal")
    assert math.isinf(PaperSettings(state_radius=3.0).changed("state_radius=inf").state_radius)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "colour=red",
            r"'colour=red' is not a setting; write name=value with one of students, dim",
        ),
        ("students", r"'students' is not a setting; write name=value"),
        ("students=many", r"'students=many' cannot be set: students must be a whole number"),
        ("students=1e3", r"'students=1e3' cannot be set: students must be a whole number"),
        ("eps=", r"'eps=' cannot be set: eps must be a number"),
        ("eps=1e-320", r"`eps` must be at least 1e-12, but is 1e-320"),
        ("mixed_slowest=0.5", r"`mixed_slowest` must be positive and at most `mixed_fastest`"),
        ("rate_law=odd", r"`rate_law` must be one of uniform, log-uniform, but is 'odd'"),
        ("students=0", r"'students=0' cannot be set: `students` must be at least 1, but is 0"),
        ("eps=-1", r"'eps=-1' cannot be set: `eps` must be positive"),
        ("centre=-1", r"'centre=-1' cannot be set: `centre` must"),
        ("state_radius=0", r"`state_radius` must be positive, but is 0.0; use inf for no limit"),
        ("state_radius=nan", r"`state_radius` must be positive, but is nan; use inf for no limit"),
        ("crowd_students=3", r"`crowd_students` must be at least 4, but is 3"),
        ("crowd_eps=1e-320", r"`crowd_eps` must be at least 1e-12, but is 1e-320"),
        ("crowd_rate=0", r"'crowd_rate=0' cannot be set: `crowd_rate` must be positive"),
        ("crowd_noise=-1", r"'crowd_noise=-1' cannot be set: `crowd_noise` must"),
        ("insects=-1", r"'insects=-1' cannot be set: `insects` must be at least 0, but is -1"),
        ("pen_children=2", r"`pen_children` must be at least 3, but is 2"),
        ("pen_pool=5", r"`pen_pool` must be at least 20, but is 5"),
        ("pen_eps=1e-320", r"`pen_eps` must be at least 1e-12, but is 1e-320"),
        ("pen_rate=0", r"'pen_rate=0' cannot be set: `pen_rate` must be positive"),
        ("pen_best=1", r"`pen_best` must be a fraction below 1, but is 1.0"),
        ("pen_sharpness=0", r"`pen_sharpness` must be positive"),
        ("pen_letter=F", r"`pen_letter` must be a letter from a to z, .*, but is 'F'"),
        ("pen_generator=me", r"`pen_generator` must be one of kinematic, lstm, but is 'me'"),
        ("pen_loss=odd", r"`pen_loss` must be one of logistic, squared, hinge, but is 'odd'"),
        ("noise=loud", r"`noise` must be one of sphere, normal, but is 'loud'"),
        ("states=cubic", r"`states` must be one of normal, uniform, but is 'cubic'"),
        ("stop=never", r"`stop` must be one of own, class, but is 'never'"),
        ("group_magnitude=huge", r"`group_magnitude` must be one of static, dynamic, joint"),
    ],
)
def test_an_invalid_setting_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PaperSettings().changed(text)
