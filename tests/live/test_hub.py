import asyncio

from homeroom.live.hub import MOST_PAGES, Hub, OpenPage


def woken(*listeners: OpenPage) -> list[bool]:
    return [listener.news.is_set() for listener in listeners]


def test_a_page_wakes_at_once_and_then_when_something_is_new_for_it() -> None:
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
    everybody = (teacher, ada, ben, other)
    assert woken(*everybody) == [True] * 4
    for one in everybody:
        one.news.clear()
    hub.notify("5b", frozenset({"ada"}))
    assert woken(*everybody) == [True, True, False, False]
    hub.notify("5b")
    assert woken(*everybody) == [True, True, True, False]
    hub.notify("7c")
    hub.notify("5b", frozenset({"nobody"}))
    assert not other.news.is_set()


def test_a_page_that_was_closed_is_forgotten() -> None:
    hub = Hub()
    first, second = hub.add(OpenPage("5b", "ada")), hub.add(OpenPage("5b", "ada"))
    teacher = hub.add(OpenPage("5b"))
    hub.remove(first)
    assert hub.present("5b") == {"ada"}
    hub.remove(second)
    hub.remove(teacher)
    assert hub.present("5b") == frozenset()
    assert list(hub) == []


def test_nobody_needs_more_than_a_few_pages() -> None:
    hub = Hub()
    ada = OpenPage("5b", "ada")
    assert not hub.is_full(ada)
    pages = [hub.add(OpenPage("5b", "ada")) for _ in range(MOST_PAGES)]
    assert hub.is_full(ada)
    assert not hub.is_full(OpenPage("5b", "ben"))
    assert not hub.is_full(OpenPage("5b"))
    hub.remove(pages[0])
    assert not hub.is_full(ada)


def test_waiting_ends_with_news_or_with_the_end() -> None:
    async def told() -> list[bool]:
        hub = Hub()
        ada = hub.add(OpenPage("5b", "ada"))
        answers = [await ada.wait()]
        hub.close_pages(class_id="5b")
        return [*answers, await ada.wait()]

    assert asyncio.run(told()) == [True, False]


def test_a_session_is_ended_on_all_its_pages_and_no_other() -> None:
    hub = Hub()
    one, other, ada = (
        hub.add(OpenPage("5b", session="s")),
        hub.add(OpenPage("5b", session="t")),
        hub.add(OpenPage("5b", "ada")),
    )
    hub.close_pages(session="s")
    assert [page.closed for page in (one, other, ada)] == [True, False, False]


def test_many_changes_wake_a_slow_page_once() -> None:
    hub = Hub()
    ada = hub.add(OpenPage("5b", "ada"))

    async def waits() -> None:
        for _ in range(100):
            hub.notify("5b")
        assert await ada.wait()
        assert not ada.news.is_set()

    asyncio.run(waits())


def test_the_pages_of_some_students_are_closed_and_no_others() -> None:
    hub = Hub()
    ada, ben, teacher = (hub.add(OpenPage("c1", one)) for one in ("ada", "ben", None))
    elsewhere = hub.add(OpenPage("c2", "ada"))
    hub.close_students("c1", ["ada", "nobody"])
    assert [one.closed for one in (ada, ben, teacher, elsewhere)] == [True, False, False, False]
