"""Nobody but its owner learns anything of a choice; this is checked by machine.

Pairs of random games differ only in the players' secret choices. Until a reveal, an end, or a
position whose outcome depends on the choice, every byte, header and status sent to anybody else
must be the same in both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engine.side import Side
from service.api.views import SIDE_NAMES
from service.game.state import GameState
from tests.contracts.document import operations
from tests.service.redis_server import RedisServer
from tests.service.secrets.catalogue import EXPORTED, Operation
from tests.service.secrets.pairs import Difference, Pair, Told
from tests.service.secrets.twins import twins

PLIES = 16
GAMES = 4
SOAKED = 48
slow = partial(pytest.param, marks=pytest.mark.slow)
WHOSE = {"first": (Side.FIRST,), "second": (Side.SECOND,), "both": tuple(Side)}

Compare = Callable[[str, str, int], tuple[Counter[str], set[Operation]]]


@pytest.fixture
def compare(redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    """A function that plays pairs of games that differ in the choices of these sides.

    It returns what happened in them, and the operations and pages that nobody requested.
    """

    def compare(variant: str, whose: str, count: int) -> tuple[Counter[str], set[Operation]]:
        seen: Counter[str] = Counter()
        left = {*operations(), *EXPORTED.values()}
        asked: set[Operation] = set()
        for number in range(count):
            random = Random(f"{variant} {whose} {number}")
            # New services for each pair: what an earlier game published would differ as well.
            with twins(redis_server, tmp_path, monkeypatch, seed=number) as both:
                pair = Pair(both, variant, WHOSE[whose], random)
                pair.begin()
                while pair.goes_on() and len(pair.states[0].played) < PLIES:
                    pair.look(pair.observers)
                    if not pair.step():
                        break
                seen += pair.seen
                asked |= pair.asked
                left |= {(rule, "page") for rule in both.both[0].page_rules}
        return seen, left - asked

    return compare


@pytest.mark.parametrize(
    ("variant", "whose"),
    [
        slow("kerd", "both"),
        slow("kerd", "first"),
        slow("kerd-draft", "second"),
        slow("kerd-draft", "both"),
    ],
)
def test_nobody_can_tell_what_was_chosen(compare: Compare, variant: str, whose: str) -> None:
    seen, unasked = compare(variant, whose, GAMES)
    assert seen["check"]
    assert seen["void"]
    assert seen["retraction"]
    assert seen["reopening"]
    assert seen["clocks"]
    assert seen["annotation"]
    assert not unasked


def test_nobody_can_tell_what_was_chosen_in_a_game(compare: Compare) -> None:
    """One game does not ask for everything."""
    seen, unasked = compare("kerd", "both", 1)
    assert seen["check"]
    assert len(unasked) < len(operations()) / 4


@pytest.mark.soak
@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("variant", ["kerd", "kerd-draft"])
def test_nobody_can_tell_what_was_chosen_in_many_games(
    compare: Compare, variant: str, whose: str
) -> None:
    seen, _ = compare(variant, whose, SOAKED)
    # A choice rarely saves from stalemate, and in the draft it saves from nothing else.
    assert seen["outcome that differs"] or variant == "kerd-draft"


@pytest.mark.parametrize(
    "leak",
    [
        "service.game.redaction.hidden",
        "service.api.views.hidden",
        "service.game.record.hidden",
    ],
)
def test_a_leak_is_found(compare: Compare, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    def nothing(state: GameState, viewer: object) -> tuple[Side, ...]:
        return ()

    monkeypatch.setattr(leak, nothing)
    with pytest.raises(Difference):
        compare("kerd", "both", GAMES)


def test_a_nonce_that_is_told_is_found(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(state: GameState, viewer: object) -> dict[str, str | None]:
        return {SIDE_NAMES[s]: c.nonce if (c := state.choices[s]) else None for s in Side}

    monkeypatch.setattr("service.api.views.render_choices", everything)
    with pytest.raises(Told):
        compare("kerd", "both", GAMES)
