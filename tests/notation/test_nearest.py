from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notation.nearest import LIMIT, distance, find_nearest
from notation.registry import find_dialect

WORDS = st.text("abx1", max_size=6)
KATRUJI = find_dialect("katruji")


@given(one=WORDS, other=WORDS, third=WORDS)
def test_distance_is_a_metric(one: str, other: str, third: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) is (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))


def test_the_action_meant_is_the_nearest() -> None:
    position = KATRUJI.start({})
    for action in position.legal():
        san, exact = KATRUJI.san(position, action), KATRUJI.coordinate(action)
        assert find_nearest(KATRUJI, position, f"{exact}?")[0] == san
        assert find_nearest(KATRUJI, position, san.replace("=O", "x+"))[0] == san


def test_no_more_than_a_handful_of_legal_actions() -> None:
    position = KATRUJI.start({})
    legal = {KATRUJI.san(position, action) for action in position.legal()}
    for token in ("", "x" * 100_000, "Pb3"):
        found = find_nearest(KATRUJI, position, token)
        assert len(set(found)) == LIMIT
        assert set(found) <= legal
