"""The recorded games: read, replayed, and written back byte for byte."""

from __future__ import annotations

import pytest

from engine.replay import replay
from notation.judge import read_claim
from notation.reader import read
from notation.registry import find_dialect
from tests.games import NAMES, recorded, records_of, write_all

every_variant = pytest.mark.parametrize("variant", NAMES)


@every_variant
def test_records_come_back_byte_for_byte(variant: str) -> None:
    text = write_all(recorded(variant))
    assert text.encode() == records_of(variant).read_bytes()


@every_variant
def test_records_can_be_read_as_text_too(variant: str) -> None:
    with records_of(variant).open(encoding="utf-8") as stream:
        assert tuple(verdict.game for verdict in read(stream)) == recorded(variant)


@every_variant
def test_playthroughs_end_as_recorded(variant: str) -> None:
    written = find_dialect(variant)
    for game in recorded(variant):
        position = replay(written.start(game.tags), game.actions)
        stated = read_claim(game.tags, game.result)
        outcome = position.outcome()
        if outcome is not None:
            assert outcome == stated
        elif stated is not None:
            assert stated.termination not in written.variant.terminations or written.accepts(
                position, stated
            )
        points = position.points()
        if points is not None:
            tags = tuple(game.tags[f"{side}Points"] for side in written.variant.sides)
            assert tags == tuple(map(str, points))


@every_variant
def test_some_records_are_ended_by_the_rules(variant: str) -> None:
    by_rules = find_dialect(variant).variant.terminations
    ends = [read_claim(game.tags, game.result) for game in recorded(variant)]
    assert any(end is not None and end.termination in by_rules for end in ends)
