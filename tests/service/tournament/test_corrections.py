"""Corrections of wrong entries, and until when each may be made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from notation.errors import BadTimeControl
from service.errors import BadValue
from service.tournament import commands as c
from service.tournament.errors import (
    AlreadyEntered,
    NotTheArbiter,
    RoundPending,
    RoundsPaired,
    TournamentOver,
)
from service.tournament.state import entrants, table
from service.tournament.values import TournamentStatus
from tests.service.tournament.support import CHIEF, Competition, points

STRANGER = replace(CHIEF, player="stranger")


def board_club(**wish: Any) -> Competition:
    """A Swiss over the board."""
    return Competition(**({"over_the_board": True, "rated": False} | wish))


def play(competition: Competition) -> None:
    """Pair a round over the board, and let the first sides win."""
    for pairing in competition.pair():
        competition.do(c.Rule(round=pairing.round, board=pairing.board, result="1-0"))


def order(competition: Competition) -> list[str]:
    """The players by pairing number."""
    return [str(one.id) for one in entrants(competition.state, {})]


def test_own_data_is_corrected_at_any_time() -> None:
    competition = board_club(rounds=1)
    play(competition)
    competition.do(c.Finish())
    competition.do(c.Amend(changes={"name": "Spring", "starts_on": "2030-01-31"}))
    rules = competition.state.rules
    assert (rules.name, rules.starts_on) == ("Spring", "2030-01-31")
    assert competition.do(c.Amend(changes={"name": "Spring"})) == ()
    competition.do(c.Amend(changes={"starts_on": None}))
    assert competition.state.rules.starts_on is None


def test_rounds_and_time_are_declared_beforehand() -> None:
    competition = board_club(rounds=5)
    competition.do(c.Amend(changes={"rounds": 3, "time_control": "900+10"}))
    assert competition.state.rules.tags["TimeControl"] == "900+10"
    play(competition)
    play(competition)
    with pytest.raises(BadValue, match="say why rounds changes"):
        competition.do(c.Amend(changes={"rounds": 4}))
    with pytest.raises(BadValue, match="2 to 100"):
        competition.do(c.Amend(changes={"rounds": 1}, reason="late"))
    competition.do(c.Amend(changes={"rounds": 2}, reason="it is late"))
    assert competition.state.rules.rounds == 2
    competition.do(c.Amend(changes={"time_control": None}, reason="unknown"))
    assert "TimeControl" not in competition.state.rules.tags
    competition.do(c.Finish())
    with pytest.raises(TournamentOver):
        competition.do(c.Amend(changes={"rounds": 3}, reason="one more"))


def test_games_played_here_keep_their_time_once_a_round_is_paired() -> None:
    competition = Competition(time_control="900+10")
    competition.do(c.Amend(changes={"time_control": "600+5"}))
    assert competition.state.rules.time_control == "600+5"
    competition.pair()
    with pytest.raises(BadValue, match="once a round is paired"):
        competition.do(c.Amend(changes={"time_control": "300+3"}, reason="too slow"))


@pytest.mark.parametrize("control", [None, "900+10"])
def test_a_corrected_time_takes_the_place_of_the_tag(control: str | None) -> None:
    competition = Competition(time_control=control, tags={"TimeControl": "900+10"}, rated=False)
    competition.do(c.Amend(changes={"time_control": "300+5"}))
    rules = competition.state.rules
    assert (rules.time_control, rules.tags) == ("300+5", {})


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": " "}, BadValue),
        ({"rounds": None}, BadValue),
        ({"kind": "knockout"}, BadValue),
        ({"time_control": "soon"}, BadTimeControl),
        ({"starts_on": "2030-02-02", "ends_on": "2030-02-01"}, BadValue),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        board_club().do(c.Amend(changes=changes))


def test_only_a_swiss_has_rounds_to_correct() -> None:
    with pytest.raises(BadValue, match="only for a Swiss"):
        Competition("round-robin").do(c.Amend(changes={"rounds": 3}))


def test_another_player_takes_the_place_everywhere() -> None:
    competition = board_club(players=5)
    competition.do(c.GrantBye(player="p1", round=2, bye="half-bye"))
    play(competition)
    before = sorted(points(competition).values())
    competition.do(c.CorrectEntry(player="p1", replacement="ada"))
    competition.do(c.CorrectEntry(player="p5", replacement="eva"))
    state = competition.state
    assert {"p1", "p5"} & {*state.entries} == set()
    assert state.granted == {("ada", 2): "half-bye"}
    assert sorted(points(competition).values()) == before
    seated = {player for one in table(state).meetings for player in (one.first, one.second)}
    assert seated | {bye.entrant for bye in state.rounds[0].byes} == {*state.entries}
    with pytest.raises(AlreadyEntered):
        competition.do(c.CorrectEntry(player="p2", replacement="ada"))


def test_who_has_a_game_keeps_the_name() -> None:
    competition = Competition()
    competition.do(c.CorrectEntry(player="p4", replacement="dan"))
    competition.pair()
    with pytest.raises(BadValue, match="their games have the name already"):
        competition.do(c.CorrectEntry(player="p1", replacement="ada"))


def test_ratings_renumber_until_the_fourth_round_is_paired() -> None:
    competition = board_club(players=8, rounds=5)
    for _ in range(3):
        play(competition)
    competition.do(c.CorrectEntry(player="p8", rating=3000))
    assert order(competition)[0] == "p8"
    play(competition)
    before = order(competition)
    competition.do(c.CorrectEntry(player="p7", rating=3100))
    assert competition.state.entries["p7"].rating == 3100
    assert order(competition) == before
    with pytest.raises(BadValue, match="pairing numbers stay"):
        competition.do(c.CorrectEntry(player="p7", seed=1))


@pytest.mark.parametrize("paired", [0, 2, 4])
def test_who_comes_back_keeps_rating_and_seed(paired: int) -> None:
    competition = board_club(players=8, rounds=7)
    competition.do(c.CorrectEntry(player="p8", seed=1))
    for _ in range(paired):
        play(competition)
    before = order(competition)
    for player in ("p1", "p8"):
        competition.do(c.Withdraw(player=player))
        competition.do(c.Enter(player=player))
    assert order(competition) == before
    assert competition.state.entries["p1"].rating == 1999
    assert competition.state.entries["p8"].seed == 1
    competition.do(c.Withdraw(player="p1"))
    competition.do(c.Enter(player="p1", rating=1800))
    assert competition.state.entries["p1"].rating == 1800
    after = order(competition)
    # As with a correction, pairing numbers stay once the fourth round is paired.
    assert (after == before) == (paired == 4)
    competition.do(c.Withdraw(player="p1"))
    competition.do(c.Enter(player="p1"))
    assert competition.state.entries["p1"].rating == 1800
    assert order(competition) == after


def test_a_late_entry_with_a_rating_leaves_the_pairing_numbers_that_stay() -> None:
    competition = board_club(players=8, rounds=7)
    for _ in range(3):
        play(competition)
    competition.do(c.Enter(player="ninth", rating=2500))
    assert order(competition)[0] == "ninth"
    play(competition)
    before = order(competition)
    competition.do(c.Enter(player="tenth", rating=2600))
    assert order(competition) == [*before, "tenth"]
    assert competition.state.entries["tenth"].rating == 2600


def test_no_seed_is_given_once_pairing_numbers_stay() -> None:
    competition = board_club(players=8, rounds=7)
    for _ in range(3):
        play(competition)
    competition.do(c.Enter(player="ninth", seed=1))
    play(competition)
    competition.do(c.Withdraw(player="p1"))
    for player in ("p1", "tenth"):
        with pytest.raises(BadValue, match="pairing numbers stay") as refused:
            competition.do(c.Enter(player=player, seed=1))
        assert refused.value.field == "seed"


def test_a_schedule_keeps_its_numbers_from_the_first_round_on() -> None:
    competition = Competition("round-robin")
    competition.do(c.CorrectEntry(player="p4", seed=1))
    assert order(competition)[0] == "p4"
    competition.pair()
    competition.do(c.CorrectEntry(player="p3", rating=2900))
    assert order(competition) == ["p4", "p1", "p2", "p3"]
    # A player who comes back has the corrected rating and the old number.
    competition.do(c.Withdraw(player="p3"))
    competition.do(c.Enter(player="p3"))
    assert order(competition) == ["p4", "p1", "p2", "p3"]
    assert competition.state.entries["p3"].rating == 2900


def test_who_was_never_paired_is_taken_out() -> None:
    competition = board_club(players=3)
    competition.do(c.RemoveEntry(player="p3"))
    assert order(competition) == ["p1", "p2"]
    assert competition.do(c.RemoveEntry(player="p3")) == ()
    competition.pair()
    competition.do(c.Enter(player="late"))
    competition.do(c.RemoveEntry(player="late"))
    assert order(competition) == ["p1", "p2"]
    with pytest.raises(BadValue, match="withdraw them instead"):
        competition.do(c.RemoveEntry(player="p1"))
    competition.do(c.Enter(player="other"))
    numbers = [one.number for one in competition.state.entries.values()]
    assert len({*numbers}) == len(numbers)


def test_who_rested_or_is_scheduled_stays() -> None:
    competition = board_club(players=3)
    competition.pair()
    (resting,) = (bye.entrant for bye in competition.state.rounds[0].byes)
    with pytest.raises(BadValue, match="has been paired"):
        competition.do(c.RemoveEntry(player=resting))
    scheduled = Competition("round-robin", 3)
    scheduled.pair()
    with pytest.raises(BadValue, match="has been paired"):
        scheduled.do(c.RemoveEntry(player="p1"))


def test_a_tournament_without_rounds_is_cancelled() -> None:
    competition = board_club()
    competition.pair()
    with pytest.raises(RoundsPaired):
        competition.do(c.Cancel())
    competition.do(c.UnpairRound(round=1, reason="made by mistake"))
    competition.do(c.Cancel())
    assert competition.state.status is TournamentStatus.CANCELLED
    assert competition.do(c.Cancel()) == ()
    for command in (c.Enter(player="late"), c.PairRound(), c.Finish()):
        with pytest.raises(TournamentOver, match="the tournament is cancelled"):
            competition.do(command)
    finished = board_club(rounds=1)
    play(finished)
    finished.do(c.Finish())
    with pytest.raises(TournamentOver, match="the tournament is finished"):
        finished.do(c.Cancel())


@pytest.mark.parametrize(
    "command",
    [
        c.Amend(changes={"rounds": 9}, reason="more"),
        c.CorrectEntry(player="p1", rating=1),
        c.RemoveEntry(player="p1"),
        c.Cancel(),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_round_that_is_made_is_waited_for_and_strangers_correct_nothing(
    command: c.TournamentCommand,
) -> None:
    competition = board_club()
    with pytest.raises(NotTheArbiter):
        competition.do(command, STRANGER)
    competition.do(c.PairRound())
    with pytest.raises(RoundPending):
        competition.do(command)
