"""A record that names a tournament joins it by itself, whatever happens to the record before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.game.commands import AnnotateAction, Annotation, CorrectResult, ImportRecord
from service.game.repository import Games
from service.player.actor import Actor
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk

GAME = "g" * 16
TEXT = '[Variant "katruji"]\n[Termination "resignation"]\n\n1. Sd1 {so} Sa8 0-1\n'
Change = Callable[[Games, Actor], object]


def leave_it(games: Games, arbiter: Actor) -> None:
    """Do nothing to the record."""


def annotate(games: Games, arbiter: Actor) -> None:
    command = AnnotateAction(ply=1, annotation=Annotation(after=("well played",)))
    games.execute(GAME, command, arbiter)


def correct(games: Games, arbiter: Actor) -> None:
    command = CorrectResult(result="1-0", termination="resignation", reason="a slip of the pen")
    games.execute(GAME, command, arbiter)


def correct_and_take_back(games: Games, arbiter: Actor) -> None:
    correct(games, arbiter)
    command = CorrectResult(result="0-1", termination="resignation", reason="it was none")
    games.execute(GAME, command, arbiter)


@pytest.mark.parametrize(
    ("change", "result"),
    [(leave_it, "0-1"), (annotate, "0-1"), (correct, "1-0"), (correct_and_take_back, "0-1")],
)
@pytest.mark.parametrize("seen", [False, True], ids=["changed before it is seen", "seen first"])
def test_a_record_joins_the_tournament_that_it_names(
    api: Api, arbiter: NewPlayer, change: Change, result: str, seen: bool
) -> None:
    desk = Desk(api, arbiter, players=2, kind="free", rounds=None)
    first, second = (player.id for player in desk.players)
    actor = Actor(arbiter.id, frozenset({"play", "arbiter"}))
    tags = {
        "Variant": "katruji",
        "Termination": "resignation",
        "MovelogTournament": desk.made["id"],
        "Round": "1",
    }
    record = ImportRecord(
        variant="katruji",
        first=first,
        second=second,
        tags=tags,
        text=TEXT,
        actions="c1d1 b8a8",
        result="0-1",
    )
    api.service.games.create(GAME, record, actor)
    if seen:
        desk.work()
    change(api.service.games, actor)
    desk.work()
    (pairing,) = desk.get("/rounds/1")["pairings"]
    assert (pairing["game"], pairing["result"]) == (GAME, result)
    assert not api.service.tournaments.awaiting([api.service.games.load(GAME)])
