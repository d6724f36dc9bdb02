from homeroom.live.access.codes import ALPHABET, LENGTH, SEAT_LENGTH, new_code, tidy


def test_a_code_has_six_letters_that_cannot_be_confused() -> None:
    for _ in range(100):
        code = new_code()
        assert len(code) == LENGTH
        assert not set(code) & set("01IO")
        assert tidy(code) == code


def test_there_are_a_billion_codes() -> None:
    assert len(ALPHABET) ** LENGTH > 1e9
    assert len({new_code() for _ in range(1000)}) == 1000


def test_a_code_for_a_seat_is_longer_than_a_class_has() -> None:
    assert len(new_code(SEAT_LENGTH)) == SEAT_LENGTH > len(new_code())
