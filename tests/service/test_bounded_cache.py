from __future__ import annotations

from service.bounded_cache import BoundedCache


def test_what_was_not_used_for_longest_is_dropped() -> None:
    cache = BoundedCache[str, int](2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.put("a", 4)
    cache.put("d", 5)
    assert [cache.get(key) for key in "acd"] == [4, None, 5]


def test_a_value_too_heavy_replaces_an_earlier_one_and_drops_no_other() -> None:
    cache = BoundedCache[str, str](5, len)
    cache.put("a", "xx")
    cache.put("b", "xxx")
    cache.put("b", "xxxxxx")
    assert [cache.get(key) for key in "ab"] == ["xx", None]
    cache.put("c", "xxx")
    cache.put("c", "xxxx")
    assert [cache.get(key) for key in "ac"] == [None, "xxxx"]


def test_what_was_dropped_takes_no_room() -> None:
    cache = BoundedCache[str, str](5, len)
    cache.put("a", "xxxxx")
    cache.drop("a")
    cache.drop("a")
    cache.put("b", "xx")
    cache.put("c", "xxx")
    assert [cache.get(key) for key in "abc"] == [None, "xx", "xxx"]
