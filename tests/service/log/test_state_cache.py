from __future__ import annotations

from dataclasses import dataclass

from service.log.state_cache import StateCache


@dataclass(frozen=True)
class Text:
    """A state that weighs as much as its text is long."""

    id: str
    version: int
    text: str = ""
    head: str = ""
    updated_at: int = 0


def make_cache() -> StateCache[Text]:
    return StateCache(10, lambda state: len(state.text))


def test_what_was_not_used_for_longest_goes_until_the_rest_fits() -> None:
    cache = make_cache()
    for id, text in (("a", "four"), ("b", "three"), ("c", "x")):
        cache.put(Text(id, 1, text))
    assert cache.get("a") is not None
    cache.put(Text("d", 1, "four"))
    assert cache.get("b") is None
    assert [cache.get(id) is not None for id in "acd"] == [True, True, True]
    cache.put(Text("e", 1, "all the ten"[:10]))
    assert [cache.get(id) is not None for id in "acde"] == [False, False, False, True]


def test_a_state_that_takes_another_ones_place_is_weighed_alone() -> None:
    cache = make_cache()
    for version in range(1, 20):
        cache.put(Text("a", version, "seven.."))
    cache.put(Text("b", 1, "two"))
    assert cache.get("a") is not None
    cache.put(Text("a", 5, "an older one does not count"))
    assert cache.get("a") == Text("a", 19, "seven..")
    cache.forget("a")
    cache.forget("a")
    cache.put(Text("c", 1, "seven.."))
    assert cache.get("b") is not None


def test_a_state_beyond_all_room_is_returned_and_not_kept() -> None:
    cache = make_cache()
    large = Text("a", 1, "more than ten")
    assert cache.put(large) is large
    assert cache.get("a") is None
    cache.put(Text("b", 1, "just ten.."))
    assert cache.get("b") is not None
