"""The terms of a game: agreed ones, defaults, and terms that contradict each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.errors import BadValue
from service.game import events
from service.game.commands import CreateGame
from service.game.decide import create
from service.game.errors import ContradictoryTerms
from service.game.permissions import PAIRER
from service.game.record import write_record
from service.game.terms import DAY, MINUTE, Terms, Visibility
from service.game.values import Mode
from service.player.actor import Actor
from tests.service.game.support import CREATORS, MODES, QUIET, Play, new_game


def creator(mode: Mode) -> Actor:
    return Actor(PAIRER) if mode is Mode.TOURNAMENT else CREATORS[mode]


def begin(mode: Mode = Mode.CHALLENGE, **terms: Any) -> Play:
    return Play(replace(new_game(mode), **terms), creator(mode))


@pytest.mark.parametrize("mode", [*MODES, Mode.TOURNAMENT])
def test_games_that_are_played_here_are_rated_and_others_casual(mode: Mode) -> None:
    game = begin(mode)
    assert game.state.terms == Terms(rated=mode is not Mode.SCRIBE)
    # Terms that the first form of the event implies are stored in that form.
    assert [entry.event.stored_name for entry in game.log] == ["game-created/1"]


def test_a_position_that_a_challenger_sets_up_makes_a_game_casual() -> None:
    assert not begin(fen=QUIET).state.terms.rated
    assert begin(Mode.ARBITER, fen=QUIET).state.terms.rated
    assert begin(Mode.ARBITER, fen=QUIET, rated=False).state.terms == Terms(rated=False)


def test_the_terms_that_were_agreed_are_in_the_first_event() -> None:
    game = begin(rated=False, visibility="private", expires_after=DAY)
    assert game.state.terms == Terms(False, Visibility.PRIVATE, DAY)
    assert game.state.expires_at == game.state.created_at + DAY
    (entry,) = game.log
    assert isinstance(entry.event, events.GameSetUp)
    assert entry.event.stored_name == "game-created/2"
    tournament = begin(Mode.TOURNAMENT, no_show=10 * MINUTE)
    assert tournament.state.terms == Terms(True, no_show=10 * MINUTE)


def test_a_limit_and_the_tie_break_are_tags_of_the_record() -> None:
    game = begin(ply_limit=80, draw_by_points=None, time_control="0180+2")
    assert game.state.tags == {"PlyLimit": "80", "TimeControl": "180+2"}
    kerak = replace(new_game(Mode.CHALLENGE, variant="kerak"), draw_by_points=True, ply_limit=200)
    record = write_record(Play(kerak, CREATORS[Mode.CHALLENGE]).state, {})
    assert '[DrawByPoints "yes"]' in record
    assert '[PlyLimit "200"]' in record


def test_a_tag_may_say_the_same() -> None:
    game = begin(ply_limit=80, tags={"PlyLimit": "80", "TimeControl": "60"}, time_control="60+0")
    assert game.state.tags == {"PlyLimit": "80", "TimeControl": "60"}


CONTRADICTIONS: list[tuple[Mode, dict[str, Any], str]] = [
    (Mode.SCRIBE, {"rated": True}, "rated"),
    (Mode.CHALLENGE, {"rated": True, "fen": QUIET}, "rated"),
    (Mode.ARBITER, {"visibility": "private"}, "visibility"),
    (Mode.SCRIBE, {"visibility": "private"}, "visibility"),
    (Mode.ARBITER, {"expires_after": DAY}, "expires_in_seconds"),
    (Mode.TOURNAMENT, {"expires_after": DAY}, "expires_in_seconds"),
    (Mode.CHALLENGE, {"no_show": MINUTE}, "no_show_minutes"),
    (Mode.SCRIBE, {"time_control": "60"}, "time_control"),
    (Mode.CHALLENGE, {"draw_by_points": True}, "draw_by_points"),
    (Mode.CHALLENGE, {"ply_limit": 80, "tags": {"PlyLimit": "81"}}, "tags"),
    (Mode.CHALLENGE, {"time_control": "60", "tags": {"TimeControl": "61"}}, "tags"),
    (Mode.CHALLENGE, {"draw_by_points": False, "tags": {"DrawByPoints": "yes"}}, "tags"),
]


@pytest.mark.parametrize(("mode", "terms", "field"), CONTRADICTIONS)
def test_terms_that_contradict_each_other_are_refused(
    mode: Mode, terms: dict[str, Any], field: str
) -> None:
    variant = "kerak" if "DrawByPoints" in terms.get("tags", {}) else "katruji"
    command = replace(new_game(mode, variant=variant), **terms)
    with pytest.raises(ContradictoryTerms) as refused:
        create(command, creator(mode))
    assert (refused.value.field, refused.value.code) == (field, "contradictory-terms")


@pytest.mark.parametrize(
    ("mode", "terms"),
    [
        (Mode.CHALLENGE, {"expires_after": MINUTE - 1}),
        (Mode.CHALLENGE, {"expires_after": 30 * DAY + 1}),
        (Mode.TOURNAMENT, {"no_show": MINUTE - 1}),
        (Mode.TOURNAMENT, {"no_show": 7 * DAY + 1}),
        (Mode.CHALLENGE, {"visibility": "hidden"}),
    ],
)
def test_times_and_words_that_cannot_be_are_refused(mode: Mode, terms: dict[str, Any]) -> None:
    command: CreateGame = replace(new_game(mode), **terms)
    with pytest.raises(BadValue) as refused:
        create(command, creator(mode))
    assert type(refused.value) is BadValue
