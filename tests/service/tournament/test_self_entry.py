"""Players who enter and withdraw by themselves, and organisers without an arbiter's token."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import BadValue, MissingScope
from service.player.actor import Actor
from service.player.scopes import ADMIN, PLAY
from service.tournament import commands as c
from service.tournament import events
from service.tournament.decide import create
from service.tournament.errors import (
    AlreadyEntered,
    EntriesClosed,
    NotTheArbiter,
    SelfEntryRefused,
    TournamentOver,
)
from tests.service.tournament.support import CHIEF, POWERLESS_CHIEF, Competition

LATE = Actor("late", frozenset({PLAY}))
SPECTATOR = Actor("late", frozenset({ADMIN}))


def test_players_enter_themselves_only_while_self_entry_is_open() -> None:
    competition = Competition()
    with pytest.raises(SelfEntryRefused):
        competition.do(c.Enter(player="late"), LATE)
    assert competition.do(c.OpenSelfEntry()) == (events.SelfEntryOpened(),)
    assert competition.do(c.OpenSelfEntry()) == ()
    assert competition.do(c.Enter(player="late"), LATE) == (
        events.PlayerEntered(player="late", round=1),
    )
    with pytest.raises(AlreadyEntered):
        competition.do(c.Enter(player="late"), LATE)
    assert competition.do(c.Withdraw(player="late"), LATE)
    assert competition.do(c.CloseSelfEntry()) == (events.SelfEntryClosed(),)
    assert competition.do(c.CloseSelfEntry()) == ()
    with pytest.raises(SelfEntryRefused):
        competition.do(c.Enter(player="late"), LATE)


def test_nobody_enters_or_withdraws_another() -> None:
    competition = Competition()
    competition.do(c.OpenSelfEntry())
    for command in (c.Enter(player="friend"), c.Withdraw(player="p1")):
        with pytest.raises(MissingScope):
            competition.do(command, LATE)
    with pytest.raises(MissingScope):
        competition.do(c.Enter(player="late"), SPECTATOR)


@pytest.mark.parametrize("given", [{"rating": 2800}, {"seed": 1}])
def test_players_give_themselves_no_rating_and_no_seed(given: dict[str, int]) -> None:
    competition = Competition()
    competition.do(c.OpenSelfEntry())
    with pytest.raises(BadValue, match="arbiter"):
        competition.do(c.Enter(player="late", **given), LATE)


def test_a_late_player_enters_a_swiss_from_the_next_round_on() -> None:
    competition = Competition(self_entry=True)
    competition.play_round()
    [entered] = competition.do(c.Enter(player="late"), LATE)
    assert entered == events.PlayerEntered(player="late", round=2)
    assert "late" in {player for pair in competition.pair() for player in (pair.first, pair.second)}


def test_self_entry_opens_no_round_robin_that_has_begun() -> None:
    competition = Competition("round-robin", self_entry=True)
    competition.play_round()
    with pytest.raises(EntriesClosed):
        competition.do(c.Enter(player="late"), LATE)
    with pytest.raises(EntriesClosed):
        competition.do(c.OpenSelfEntry())


def test_self_entry_ends_with_the_tournament() -> None:
    competition = Competition(self_entry=True)
    competition.do(c.Finish())
    with pytest.raises(TournamentOver):
        competition.do(c.Enter(player="late"), LATE)
    with pytest.raises(TournamentOver):
        competition.do(c.OpenSelfEntry())


def test_any_player_directs_a_tournament_of_casual_games() -> None:
    rated = c.CreateTournament(
        name="Open", variant="katruji", kind="swiss", scoring={"name": "standard"}, rounds=3
    )
    casual = replace(rated, rated=False)
    assert create(casual, LATE)
    for wish, actor in ((rated, LATE), (casual, SPECTATOR)):
        with pytest.raises(MissingScope):
            create(wish, actor)
    held, official = Competition(rated=False), Competition()
    assert held.do(c.OpenSelfEntry(), POWERLESS_CHIEF)
    with pytest.raises(MissingScope):
        official.do(c.OpenSelfEntry(), POWERLESS_CHIEF)
    with pytest.raises(NotTheArbiter):
        held.do(c.PairRound(), LATE)
    assert held.do(c.CloseSelfEntry(), CHIEF)
