from homeroom.live.app import create_app
from homeroom.live.routes.answers import CHANGES, may


def test_every_call_says_what_it_may_answer() -> None:
    for path, calls in create_app().openapi()["paths"].items():
        for method, call in calls.items():
            told = {int(status) for status in call["responses"]}
            assert told & {200, 201}, path
            assert 503 in told, path
            if method != "get":
                assert 403 in told, path
            if call.get("requestBody"):
                assert set(CHANGES) <= told, path


def test_refusals_have_one_shape() -> None:
    assert {one["model"].__name__ for one in may(404, 409).values()} == {"Problem"}
