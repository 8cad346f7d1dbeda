from __future__ import annotations

import pytest

from engine.errors import UnknownVariant
from engine.position import Action
from notation.errors import BadAnnotation
from notation.game import MAX_NESTING, Game, Move, roster


def test_the_roster_is_completed_as_pgn_s_export_has_it() -> None:
    game = Game("katruji", {"Own": "1", "North": "N"}, (), "1-0")
    assert game.tags == {
        "Own": "1",
        "North": "N",
        "Event": "?",
        "Site": "?",
        "Date": "????.??.??",
        "Round": "?",
        "South": "?",
        "Result": "1-0",
        "Variant": "katruji",
    }
    assert set(roster("katruji")) < set(game.tags)


def test_a_game_keeps_its_tags_to_itself() -> None:
    tags = {"Own": "1"}
    game = Game("katruji", tags, ())
    tags["Own"] = "2"
    assert game.tags["Own"] == "1"


def test_the_actions_of_a_game() -> None:
    assert Game("katruji", {}, (nested(1), Move(Action(8)))).actions == (7, 8)


@pytest.mark.parametrize("tags", [{"Result": "0-1"}, {"Variant": "kerak"}])
def test_tags_must_not_contradict_the_game(tags: dict[str, str]) -> None:
    with pytest.raises(BadAnnotation, match="the tag says"):
        Game("katruji", tags, (), "1-0")


def test_what_no_record_can_hold_makes_no_game() -> None:
    with pytest.raises(BadAnnotation, match="Result"):
        Game("katruji", {}, (), "2-0")
    with pytest.raises(BadAnnotation, match="comment"):
        Game("katruji", {}, (), "*", ("}",))
    with pytest.raises(BadAnnotation, match="belongs to a move"):
        Game("katruji", {}, (Move(Action(7)),), "*", ("x",))
    with pytest.raises(BadAnnotation, match="Own"):
        Game("katruji", {"Own": "\n"}, ())
    with pytest.raises(BadAnnotation, match="glyph"):
        Move(Action(7), nags=(256,))
    with pytest.raises(BadAnnotation, match="comment"):
        Move(Action(7), before=("",))
    with pytest.raises(BadAnnotation, match="comment"):
        Move(Action(7), after=("a  b",))
    with pytest.raises(BadAnnotation, match="variation: has no action"):
        Move(Action(7), variations=((Move(Action(8)),), ()))


def nested(depth: int) -> Move:
    move = Move(Action(7))
    for _ in range(depth):
        move = Move(Action(7), variations=((move,),))
    return move


def test_variations_are_nested_so_deep_and_no_deeper() -> None:
    deepest = Game("katruji", {}, (nested(MAX_NESTING),))
    assert deepest == Game("katruji", {}, (nested(MAX_NESTING),))
    assert deepest != Game("katruji", {}, (nested(MAX_NESTING - 1),))
    assert hash(deepest.moves) == hash((nested(MAX_NESTING),))
    assert repr(deepest).count("variations=()") == 1
    with pytest.raises(BadAnnotation, match="nested more than 100 deep"):
        Game("katruji", {}, (Move(Action(7)), nested(MAX_NESTING + 1)))


def test_a_game_is_of_a_known_variant() -> None:
    with pytest.raises(UnknownVariant):
        Game("shogi", {}, ())
