import asyncio

from homeroom.live.hub import MOST_PAGES, Hub, OpenPage


def woken(*listeners: OpenPage) -> list[bool]:
    return [listener.news.is_set() for listener in listeners]


def test_a_page_is_notified_at_once_and_then_of_every_change() -> None:
    hub = Hub()
    teacher, ada, ben, other = (
        hub.add(one)
        for one in (
            OpenPage("5b", session="s"),
            OpenPage("5b", "ada"),
            OpenPage("5b", "ben"),
            OpenPage("6a", "ada"),
        )
    )
    pages = (teacher, ada, ben, other)
    assert woken(*pages) == [True] * 4
    for one in pages:
        one.news.clear()
    hub.notify("5b", frozenset({"ada"}))
    assert woken(*pages) == [True, True, False, False]
    hub.notify("5b")
    assert woken(*pages) == [True, True, True, False]
    hub.notify("7c")
    hub.notify("5b", frozenset({"unknown"}))
    assert not other.news.is_set()


def test_a_closed_page_is_removed() -> None:
    hub = Hub()
    first, second = hub.add(OpenPage("5b", "ada")), hub.add(OpenPage("5b", "ada"))
    teacher = hub.add(OpenPage("5b"))
    hub.remove(first)
    assert hub.present("5b") == {"ada"}
    hub.remove(second)
    hub.remove(teacher)
    assert hub.present("5b") == frozenset()
    assert list(hub) == []


def test_the_number_of_pages_of_a_student_is_limited() -> None:
    hub = Hub()
    ada = OpenPage("5b", "ada")
    assert not hub.is_full(ada)
    pages = [hub.add(OpenPage("5b", "ada")) for _ in range(MOST_PAGES)]
    assert hub.is_full(ada)
    assert not hub.is_full(OpenPage("5b", "ben"))
    assert not hub.is_full(OpenPage("5b"))
    hub.remove(pages[0])
    assert not hub.is_full(ada)


def test_waiting_ends_with_a_change_or_when_the_page_is_closed() -> None:
    async def waited() -> list[bool]:
        hub = Hub()
        ada = hub.add(OpenPage("5b", "ada"))
        answers = [await ada.wait()]
        hub.close_pages(class_id="5b")
        return [*answers, await ada.wait()]

    assert asyncio.run(waited()) == [True, False]


def test_only_the_pages_of_a_session_are_closed() -> None:
    hub = Hub()
    one, other, ada = (
        hub.add(OpenPage("5b", session="s")),
        hub.add(OpenPage("5b", session="t")),
        hub.add(OpenPage("5b", "ada")),
    )
    hub.close_pages(session="s")
    assert [page.closed for page in (one, other, ada)] == [True, False, False]


def test_many_changes_notify_a_slow_page_once() -> None:
    hub = Hub()
    ada = hub.add(OpenPage("5b", "ada"))

    async def waits() -> None:
        for _ in range(100):
            hub.notify("5b")
        assert await ada.wait()
        assert not ada.news.is_set()

    asyncio.run(waits())


def test_only_the_pages_of_the_given_students_are_closed() -> None:
    hub = Hub()
    ada, ben, teacher = (hub.add(OpenPage("c1", one)) for one in ("ada", "ben", None))
    elsewhere = hub.add(OpenPage("c2", "ada"))
    hub.close_students("c1", ["ada", "unknown"])
    assert [one.closed for one in (ada, ben, teacher, elsewhere)] == [True, False, False, False]
