"""Players whose names look alike, as commands print them."""

from __future__ import annotations

from typing import Any

import pytest

from service.cli.queries.players import format_player
from service.cli.queries.search import format_game
from service.cli.tournament import standings
from service.cli.tournament.command import tournament
from service.cli.tournament.decision import describe_ruling
from service.cli.tournament.group import format_round, format_tournament

ONE = {"id": "k7qfaaaaaaaaaaaa", "name": "Ann Lee", "mark": "K7QF"}
OTHER = {"id": "zzzzaaaaaaaaaaaa", "name": "ANN LEE", "mark": "ZZZZ"}
NOBODY = {"id": None, "name": None, "mark": None}
GAME = {"id": "g", "variant": "kerak", "result": "*", "ply": 3, "tags": {}}
PAIRING = {"board": 1, "first": ONE, "second": OTHER, "result": "*", "game": "g"}
CELL = {
    "round": 1, "row": 2, "side": "first", "opponent": OTHER, "mark": None, "match_points": None,
    "game_points": None, "game": "g",
}  # fmt: skip
PART = {"round": 1, "opponent": OTHER, "value": "1", "counted": True, "note": "", "game": "g"}
STANDING = {"place": 1, "values": {"match-points": "1"}}
ABOUT = {"name": "Cup", "round": 1, "order": ["match-points"]}
ANSWERS: dict[str, dict[str, Any]] = {
    "standings": {**ABOUT, "standings": [{**STANDING, "player": ONE}]},
    "diff": {"changes": [{"player": ONE, "before": None, "after": STANDING}]},
    "explain": {
        "player": ONE, "term": "match-points", "value": "1", "rule": "A win.", "parts": [PART]
    },
    "cross-table": {**ABOUT, "rows": [{"player": ONE, **STANDING, "cells": [CELL]}]},
    "card": {"player": ONE, "place": 1, "cells": [CELL]},
    "ratings": {"items": [{"player": ONE, "rating": 1500.0, "deviation": 350.0}]},
}  # fmt: skip
ARGUMENTS = {
    "standings": ["t"],
    "diff": ["t", "round:0"],
    "explain": ["t", ONE["id"], "match-points"],
    "cross-table": ["t"],
    "card": ["t", ONE["id"]],
    "ratings": ["kerak"],
}
BOTH = ("explain", "card")
"""Commands whose rows also name the opponent."""


@pytest.mark.parametrize("command", ANSWERS)
def test_tables_of_a_tournament(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(standings, "get_answer", lambda *given, **said: ANSWERS[command])
    tournament.main([command, *map(str, ARGUMENTS[command])], standalone_mode=False)
    printed = capsys.readouterr().out
    assert "Ann Lee #K7QF" in printed
    assert ("ANN LEE #ZZZZ" in printed) == (command in BOTH)


def test_a_tournament_and_its_rounds() -> None:
    entry = {"seed": 1, "rating": None, "withdrawn": None}
    answer = {
        "id": "t", "name": "Cup", "variant": "kerak", "kind": "swiss", "status": "open",
        "version": 1, "rounds_ready": 0, "rounds": None, "pairing": False, "refusal": None,
        "self_entry": False,
        "players": [{**ONE, **entry}, {**OTHER, **entry}],
        "terms": {"time_control": None, "speed": "untimed", "rated": True, "ply_limit": None,
                  "draw_by_points": False, "set_up": False, "infiltrators": None},
    }  # fmt: skip
    made = {
        "number": 1,
        "status": "running",
        "pairings": [PAIRING],
        "byes": [{"player": ONE, "bye": "full-bye"}],
    }
    for text, times in ((format_tournament(answer), 1), (format_round(made), 2)):
        assert text.count("Ann Lee #K7QF") == times
        assert text.count("ANN LEE #ZZZZ") == 1


def test_a_ruling() -> None:
    pairing = {
        **PAIRING,
        "round": 1,
        "ruling": {"result": "1-0", "reason": "late"},
        "result": "1-0",
    }
    text = describe_ruling(pairing, "late")
    assert text == "round 1, board 1: Ann Lee #K7QF - ANN LEE #ZZZZ 1-0, ruled: late"


def test_games_and_players_that_were_found() -> None:
    seats = {"first": ONE, "second": NOBODY}
    assert format_game({**GAME, "players": seats}) == "g kerak * 3 Ann Lee #K7QF - ?"
    rated = {"ratings": {"kerak": {"blitz": {"rating": 1500.4}}}}
    assert format_player({**OTHER, **rated}) == "zzzzaaaaaaaaaaaa ANN LEE #ZZZZ (kerak blitz 1500)"
