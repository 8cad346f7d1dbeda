"""Quiescence sees every win at once in Katruji: it is no quiet action."""

from __future__ import annotations

from random import Random

from engine.position import Action, Position
from engine.registry import find_variant
from engine.search import WIN, Limits, Search, quiesce
from tests.engine.katruji_support import KATRUJI, random_fen

VARIANT = find_variant("katruji")


def wins(position: Position, action: Action) -> bool:
    after = position.copy()
    after.play(action)
    outcome = after.outcome()
    return outcome is not None and outcome.winner == position.side


def test_quiescence_sees_wins_at_once() -> None:
    random, quiet = Random(5), 0
    for _ in range(3_000):
        position = KATRUJI.read_fen(random_fen(random))
        if position.outcome() is not None:
            continue
        winning = [one for one in position.legal() if wins(position, one)]
        if winning:
            quiet += not any(map(position.is_capture, winning))
            assert quiesce(VARIANT, position) == WIN - 1, KATRUJI.write_fen(position)
    assert quiet > 20


def test_the_last_piece_is_known_after_each_kind_of_action() -> None:
    """Behind an action that crosses, captures or promotes, the answer that wins is seen."""
    random, seen = Random(8), 0
    search = Search(VARIANT, table_mebibytes=1)
    for _ in range(1_500):
        position = KATRUJI.read_fen(random_fen(random))
        if position.outcome() is not None:
            continue
        action = random.choice(position.legal())
        after = position.copy()
        after.play(action)
        if after.outcome() is not None or after.side == position.side:
            continue
        if any(wins(after, answer) for answer in after.legal()):
            seen += 1
            *_, last = search.iterate(position, Limits(depth=1), actions=[action])
            assert last.lines[0].score == 2 - WIN, KATRUJI.write_fen(position)
    assert seen > 100
