from collections.abc import Callable

import pytest

from homeroom import Classroom, LargeClass, certify, compare


@pytest.mark.parametrize("advice", [certify, compare])
def test_a_class_that_is_not_in_memory_gets_no_advice(advice: Callable[..., object]) -> None:
    room = Classroom.sample(students=20, dimensions=3)
    large = LargeClass.open((room.states, room.rates), target=room.target)
    with pytest.raises(TypeError, match="looks at every student: load the class with"):
        advice(large)
