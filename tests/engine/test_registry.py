"""The variants by name."""

from __future__ import annotations

import pytest

from engine.errors import UnknownVariant
from engine.registry import VARIANTS, find_variant


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_found_by_its_name(name: str) -> None:
    assert find_variant(name).name == name


def test_an_unknown_name_is_refused_with_those_known() -> None:
    with pytest.raises(UnknownVariant, match="unknown variant 'Kerd', expected one of") as refusal:
        find_variant("Kerd")
    assert refusal.value.name == "Kerd"
    assert refusal.value.known == tuple(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_start_is_a_new_position_with_the_first_side_to_act(name: str) -> None:
    start = find_variant(name).start
    first, second = start(), start()
    assert first is not second
    assert first.key() == second.key()
    assert (first.side, first.number, first.outcome()) == (0, 1, None)
    assert first.points() == ((0, 0) if find_variant(name).counts_points else None)
