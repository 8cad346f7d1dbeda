"""Random openings, and those that are balanced."""

from __future__ import annotations

from random import Random

import pytest

from engine.position import Position
from engine.registry import VARIANTS, find_variant
from service.selfplay import opening
from service.selfplay.errors import GamesTooShort, NoBalancedOpening
from service.selfplay.match import Match, play_pair
from service.selfplay.opening import find_chance, make_balanced_opening, make_opening
from service.selfplay.setting import read_setting


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "NODES", 300)


@pytest.mark.parametrize("name", VARIANTS)
def test_an_opening_goes_on_and_hides_nothing(name: str) -> None:
    position = make_opening(find_variant(name), Random(1), 6)
    assert position.outcome() is None
    assert position.number >= 3
    assert len(find_variant(name).worlds(position, 3, Random(2))) == 1


def test_of_random_openings_the_first_balanced_one_is_taken() -> None:
    katruji = find_variant("katruji")

    def list_openings(seed: int) -> list[Position]:
        """Random openings up to the first one in which neither chance is above 0.6."""
        random = Random(seed)
        found = [make_opening(katruji, random, 4)]
        while not 0.4 <= find_chance(katruji, found[-1]) <= 0.6:
            found.append(make_opening(katruji, random, 4))
        return found

    openings = [list_openings(seed) for seed in range(8)]
    assert any(len(found) > 1 for found in openings)
    for seed, found in enumerate(openings):
        taken = make_balanced_opening(katruji, Random(seed), 4, 0.6)
        assert taken.key() == found[-1].key()


def test_a_match_begins_with_balanced_openings() -> None:
    players = read_setting("depth=1"), read_setting("depth=1")
    match = Match("katruji", players, 3, 4, 40, most_chance=0.55)
    begun = [match.make_opening(Random(seed)) for seed in range(4)]
    chances = [find_chance(find_variant("katruji"), position) for position in begun]
    assert all(0.45 <= chance <= 0.55 for chance in chances)
    assert play_pair(match, 1).games == play_pair(match, 1).games


def test_openings_that_are_never_balanced_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "find_chance", lambda *_: 0.31)
    with pytest.raises(
        NoBalancedOpening, match=r"of 1000 random openings none leaves each side .* 0\.65"
    ):
        make_balanced_opening(find_variant("katruji"), Random(1), 4, 0.65)


def test_openings_longer_than_games_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_TRIES", 20)
    katruji = find_variant("katruji")
    with pytest.raises(GamesTooShort, match="of 20 random games none goes on after 9000 plies"):
        make_opening(katruji, Random(1), 9_000)
    with pytest.raises(GamesTooShort):
        make_balanced_opening(katruji, Random(1), 9_000, 0.65)
