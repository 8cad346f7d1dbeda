"""What a game can be created with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import UnknownVariant
from engine.side import Side
from notation.errors import BadAnnotation, BadFen
from service.errors import BadValue, MissingScope
from service.game.commands import CreateGame, ImportRecord
from service.game.decide import create
from service.game.events import GameCreated, GameSetUp, RecordImported
from service.game.values import GameStatus, Mode
from service.player.actor import Actor
from service.player.scopes import ADMIN, ARBITER, PLAY
from tests.service.game.support import (
    CREATORS,
    MODES,
    NORTH,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    YARA,
    Play,
    new_game,
    player,
)


@pytest.mark.parametrize("mode", MODES)
def test_a_game_is_created_in_each_mode(mode: Mode) -> None:
    (event,) = create(new_game(mode, tags={"Event": "Cup"}, fen=YARA), CREATORS[mode])
    # A challenge with a set-up position is casual, which the first form of the event cannot say.
    form = GameSetUp if mode is Mode.CHALLENGE else GameCreated
    assert event == form(
        variant="katruji",
        rules="1",
        mode=mode,
        first="south",
        second="north",
        tags={"Event": "Cup"},
        fen=YARA,
    )
    state = Play(new_game(mode), CREATORS[mode]).state
    assert state.status is (GameStatus.OFFERED if mode is Mode.CHALLENGE else GameStatus.RUNNING)
    assert state.to_act is (None if mode is Mode.CHALLENGE else Side.FIRST)
    assert (state.creator, state.seats) == (CREATORS[mode].player, ("south", "north"))


@pytest.mark.parametrize("by", [SOUTH, NORTH])
def test_an_open_challenge_has_a_free_seat(by: Actor) -> None:
    south, north = ("south", None) if by is SOUTH else (None, "north")
    game = Play(replace(new_game(Mode.CHALLENGE), first=south, second=north), by)
    assert game.state.seats == (south, north)


@pytest.mark.parametrize(
    ("command", "actor", "field", "reason"),
    [
        (new_game(Mode.CHALLENGE), STRANGER, "mode", "must take one of the sides"),
        (new_game(Mode.IMPORT), SOUTH, "mode", "challenge, scribe or arbiter"),
        (replace(new_game(Mode.SCRIBE), mode="chess"), SOUTH, "mode", "challenge, scribe"),
        (replace(new_game(Mode.SCRIBE), second=None), SCRIBE, "mode", "needs both players"),
        (replace(new_game(Mode.ARBITER), first=None), REFEREE, "mode", "needs both players"),
        (replace(new_game(Mode.SCRIBE), second="south"), SCRIBE, "second", "one player cannot"),
        (replace(new_game(Mode.CHALLENGE), second="south"), SOUTH, "second", "one player cannot"),
    ],
)
def test_seats_that_do_not_fit_the_mode(
    command: CreateGame, actor: Actor, field: str, reason: str
) -> None:
    with pytest.raises(BadValue, match=reason) as error:
        create(command, actor)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("mode", "scopes", "needed"),
    [
        (Mode.CHALLENGE, (ARBITER, ADMIN), PLAY),
        (Mode.SCRIBE, (ARBITER, ADMIN), PLAY),
        (Mode.ARBITER, (PLAY, ADMIN), ARBITER),
    ],
)
def test_the_scope_a_mode_needs(mode: Mode, scopes: tuple[str, ...], needed: str) -> None:
    with pytest.raises(MissingScope) as error:
        create(new_game(mode), player("south", *scopes))
    assert error.value.scope == needed


@pytest.mark.parametrize(
    "name",
    [
        "Result",
        "Variant",
        "Termination",
        "FEN",
        "SetUp",
        "MovelogGame",
        "RecordHash",
        "RecordSignature",
        "Rules",
        "South",
        "NorthPoints",
    ],
)
def test_a_tag_that_follows_from_the_game_cannot_be_set(name: str) -> None:
    with pytest.raises(BadValue, match=f"{name} follows from the game"):
        create(new_game(Mode.SCRIBE, tags={name: "x"}), SCRIBE)


@pytest.mark.parametrize("name", ["", "a b", "é", "_a", "x" * 256, 'a"', "a\n"])
def test_a_tag_name_no_record_can_hold(name: str) -> None:
    with pytest.raises(BadAnnotation):
        create(new_game(Mode.SCRIBE, tags={name: "x"}), SCRIBE)


@pytest.mark.parametrize("value", ["a\nb", "\0", "\x7f", "\ud800"])
def test_a_tag_value_no_record_can_hold(value: str) -> None:
    with pytest.raises(BadAnnotation):
        create(new_game(Mode.SCRIBE, tags={"Event": value}), SCRIBE)


def test_tags_have_a_limit() -> None:
    many = {f"T{n}": "x" for n in range(64)}
    assert create(new_game(Mode.SCRIBE, tags=many), SCRIBE)
    with pytest.raises(BadValue, match="at most 64 tags"):
        create(new_game(Mode.SCRIBE, tags=many | {"One": "more"}), SCRIBE)
    assert create(new_game(Mode.SCRIBE, tags={"Event": "ž" * 500}), SCRIBE)
    with pytest.raises(BadValue, match="Event: at most 500 characters"):
        create(new_game(Mode.SCRIBE, tags={"Event": "x" * 501}), SCRIBE)


@pytest.mark.parametrize("limit", ["0", "-1", "", "1.5", "ten", "²", "1" * 10, "9" * 5000])
def test_r0_a_ply_limit_is_a_number(limit: str) -> None:
    with pytest.raises((BadAnnotation, BadValue), match="PlyLimit"):
        create(new_game(Mode.SCRIBE, tags={"PlyLimit": limit}), SCRIBE)


def test_draw_by_points_is_agreed_where_the_game_knows_it() -> None:
    with pytest.raises(BadValue, match="DrawByPoints: not a rule of this game"):
        create(new_game(Mode.SCRIBE, tags={"DrawByPoints": "yes"}), SCRIBE)
    assert create(new_game(Mode.SCRIBE, tags={"DrawByPoints": "no"}), SCRIBE)
    for written in ("Yes", "YES", "1", "true", "on", "", " yes"):
        for variant in ("katruji", "kerak"):
            wrong = new_game(Mode.SCRIBE, tags={"DrawByPoints": written}, variant=variant)
            with pytest.raises(BadValue, match="DrawByPoints: yes or no"):
                create(wrong, SCRIBE)
    assert create(new_game(Mode.SCRIBE, tags={"DrawByPoints": "yes"}, variant="kerak"), SCRIBE)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(UnknownVariant):
        create(new_game(Mode.SCRIBE, variant="chess"), SCRIBE)


@pytest.mark.parametrize("fen", ["", "x", YARA + " ", YARA.replace("17", "18"), "\ud800"])
def test_a_position_that_cannot_be_is_refused(fen: str) -> None:
    with pytest.raises(BadFen):
        create(new_game(Mode.SCRIBE, fen=fen), SCRIBE)


def test_a_game_that_is_over_cannot_begin() -> None:
    over = "4/4/4/4/P3/4/4/4 s 0-3 - 0 1"
    with pytest.raises(BadValue, match="the game is over in this position") as error:
        create(new_game(Mode.SCRIBE, fen=over), SCRIBE)
    assert error.value.field == "fen"


def test_a_record_is_taken_in_as_one_event() -> None:
    text = '[Variant "katruji"]\n\n1. Sd1 Sa8 *\n'
    command = ImportRecord(
        variant="katruji",
        first="south",
        second=None,
        tags={"Event": "Cup", "Termination": "unterminated"},
        text=text,
        actions="c1d1 b8a8",
        result="*",
    )
    (event,) = create(command, SOUTH)
    assert isinstance(event, RecordImported)
    assert (event.rules, event.text, event.result) == ("1", text, "*")
    with pytest.raises(MissingScope):
        create(command, player("south", ADMIN))
