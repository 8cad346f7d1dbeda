"""How a round is made: requested, paired or refused, made ready; and how it is taken back."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from service.errors import BadValue, ServiceError
from service.tournament import commands as c
from service.tournament import events as e
from service.tournament import next_round
from service.tournament.errors import RoundBegun, RoundPending, TournamentOver
from service.tournament.next_round import name_boards, pair_next_round
from service.tournament.pairing.berger import berger
from service.tournament.pairing.errors import (
    NotEntered,
    NothingToPair,
    TooFewEntrants,
    UnfinishedRound,
)
from service.tournament.setup import MOST_IN_SWISS, most_entries
from service.tournament.state import public
from service.tournament.table import MOST_ROUNDS, EntrantId, TournamentKind
from service.tournament.values import Refusal, Stage, TournamentStatus
from tests.service.tournament.support import PAIRING, Competition, finished, points

BACK = c.UnpairRound(round=1, reason="somebody is missing")


def asked() -> Competition:
    """A Swiss whose first round has been requested."""
    competition = Competition()
    competition.do(c.PairRound())
    return competition


def test_a_round_is_paired_by_what_the_tournament_was_when_it_was_asked_for() -> None:
    competition = Competition(players=5)
    before = competition.state
    competition.do(c.PairRound())
    competition.do(c.Withdraw(player="p1"))
    competition.do(c.Enter(player="late"))
    competition.settle(before)
    (round,) = competition.state.rounds
    seated = {player for p in round.pairings for player in (p.first, p.second)}
    assert "p1" in seated
    assert "late" not in seated
    assert competition.state.withdrawn == {"p1": 2}
    assert competition.state.entries["late"].entered == 2


def test_a_worker_speaks_of_one_round_and_is_heard_once() -> None:
    competition = asked()
    version = competition.state.version
    settling = c.SettleRound(asked=version, boards=[], byes=[])
    refusing = c.RefuseRound(asked=version, code="no-pairing", detail="none")
    assert competition.do(c.ConfirmRound(asked=version), PAIRING) == ()
    for late in (
        c.SettleRound(asked=version - 1, boards=[], byes=[]),
        c.RefuseRound(asked=version - 1, code="no-pairing", detail="none"),
    ):
        assert competition.do(late, PAIRING) == ()
    assert competition.do(settling, PAIRING)
    assert competition.do(settling, PAIRING) == ()
    assert competition.do(refusing, PAIRING) == ()
    assert competition.state.rounds[0].stage is Stage.PAIRED
    assert competition.do(c.ConfirmRound(asked=version - 1), PAIRING) == ()
    assert competition.do(c.ConfirmRound(asked=version), PAIRING)
    assert competition.do(settling, PAIRING) == ()


def test_a_round_that_cannot_be_paired_is_gone_and_says_why() -> None:
    competition = asked()
    competition.do(c.Withdraw(player="p1"))
    refusing = c.RefuseRound(asked=competition.state.version - 1, code="no-pairing", detail="none")
    competition.do(refusing, PAIRING)
    state = competition.state
    assert state.rounds == ()
    assert state.status is TournamentStatus.OPEN
    assert state.refusal == Refusal(1, "no-pairing", "none")
    assert state.told == state.version
    # The refused round, during which p1 withdrew, counts as never requested.
    assert state.withdrawn == {"p1": 1}
    competition.do(c.PairRound())
    assert competition.state.refusal is None


def test_a_round_that_is_named_is_paired_once() -> None:
    competition = Competition("round-robin")
    competition.pair(round=1)
    for number in (1, 3):
        with pytest.raises(BadValue, match="the next round to pair is 2"):
            competition.do(c.PairRound(round=number))
    competition.do(c.PairRound(round=2))
    with pytest.raises(RoundPending):
        competition.do(c.PairRound(round=2))


@pytest.mark.parametrize(
    ("competition", "command", "error"),
    [
        (Competition(players=1), c.PairRound(), TooFewEntrants),
        (Competition("round-robin", players=1), c.PairRound(), TooFewEntrants),
        (Competition("knockout", players=1), c.PairRound(), TooFewEntrants),
        (Competition("free", players=2), c.PairRound(boards=[("p1", "nobody")]), NotEntered),
    ],
)
def test_what_is_wrong_at_a_glance_is_told_at_once(
    competition: Competition, command: c.PairRound, error: type[ServiceError]
) -> None:
    with pytest.raises(error):
        competition.do(command)
    assert competition.state.pending is None


@pytest.mark.parametrize(("kind", "players", "rounds"), [("round-robin", 3, 3), ("swiss", 4, 3)])
def test_no_round_follows_the_last(kind: str, players: int, rounds: int) -> None:
    competition = Competition(kind, players=players)
    for _ in range(rounds):
        competition.play_round()
    with pytest.raises(NothingToPair):
        competition.do(c.PairRound())


@pytest.mark.parametrize("begun", [3, 4, 5, 6, 8])
@pytest.mark.parametrize("cycles", [3, 4])
def test_a_round_robin_goes_on_in_the_order_of_rounds_it_was_begun_in(
    cycles: int, begun: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = Competition("round-robin", players=4, cycles=cycles)
    with monkeypatch.context() as patch:
        patch.setattr(next_round, "berger", partial(berger, earlier=True))
        for _ in range(begun):
            competition.play_round()
    while len(competition.state.rounds) < 3 * cycles:
        competition.play_round()
    met = Counter(
        frozenset((p.first, p.second)) for r in competition.state.rounds for p in r.pairings
    )
    assert set(met.values()) == {cycles}
    boards = [[(p.first, p.second) for p in r.pairings] for r in competition.state.rounds]
    players = [EntrantId(f"p{number}") for number in range(1, 5)]
    schedule = berger(players, cycles, earlier=begun > 4)
    assert boards == [[(b.first, b.second) for b in each.boards] for each in schedule]


def test_a_league_has_no_more_rounds_than_can_be_ruled_on() -> None:
    league = Competition("free")
    late = c.Join(game=finished("late", "1-0"), round=MOST_ROUNDS, seats=("p1", "p2"))
    league.do(late)
    with pytest.raises(NothingToPair):
        league.do(c.PairRound(boards=[("p1", "p2")]))


def test_a_knockout_waits_for_its_results() -> None:
    competition = Competition("knockout")
    competition.pair()
    with pytest.raises(UnfinishedRound, match=r"round 1, board 1; round 1, board 2"):
        competition.do(c.PairRound())


def test_a_round_taken_back_leaves_nothing_that_counts() -> None:
    competition = Competition()
    games = {pairing.game for pairing in competition.pair()}
    competition.do(c.Withdraw(player="p4"))
    competition.do(c.Enter(player="late"))
    (event,) = competition.do(BACK)
    assert isinstance(event, e.RoundUnpaired)
    state = competition.state
    assert state.rounds == ()
    assert {game for round in state.undone for game in round.games} == games
    assert competition.end_by_id(next(iter(games)) or "", "1-0") == ()
    again = competition.pair()
    assert {pairing.game for pairing in again}.isdisjoint(games)
    seated = {player for p in again for player in (p.first, p.second)}
    assert seated == {"p1", "p2", "p3", "late"}


@pytest.mark.parametrize("how", ["taken back", "refused"])
def test_who_withdrew_has_no_bye_in_the_round_that_was_taken_back_or_refused(how: str) -> None:
    competition = Competition(players=5)
    competition.do(c.GrantBye(player="p1", round=1, bye="full-bye"))
    competition.do(c.GrantBye(player="p2", round=1, bye="full-bye"))
    if how == "taken back":
        competition.pair()
        competition.do(c.Withdraw(player="p1"))
        competition.do(BACK)
    else:
        competition.do(c.PairRound())
        asked = competition.state.version
        competition.do(c.Withdraw(player="p1"))
        refusing = c.RefuseRound(asked=asked, code="no-pairing", detail="none")
        competition.do(refusing, PAIRING)
    assert list(competition.state.granted) == [("p2", 1)]
    competition.pair()
    counted = points(competition)
    assert (counted["p1"], counted["p2"]) == ("0", "1")


def test_a_round_that_is_being_made_can_be_taken_back() -> None:
    competition = Competition()
    before = competition.state
    competition.do(c.PairRound())
    first = competition.settle(before)
    competition.do(BACK)
    competition.do(c.PairRound())
    # A worker that made the first one does not confirm the second, whose games do not exist yet.
    assert competition.do(c.ConfirmRound(asked=first), PAIRING) == ()
    assert public(competition.state).rounds == ()


def test_a_round_robin_with_somebody_gone_can_be_taken_back() -> None:
    competition = Competition("round-robin")
    competition.pair()
    competition.do(c.Withdraw(player="p1"))
    assert any(pairing.game is None for pairing in competition.pair())
    with pytest.raises(BadValue):
        competition.do(BACK)
    competition.do(c.UnpairRound(round=2, reason="early"))
    assert len(competition.state.rounds) == 1


def test_a_round_in_which_something_counts_stays() -> None:
    tallied, ruled, joined = Competition(), Competition(), Competition()
    tallied.end(tallied.pair()[0], "1-0")
    ruled.pair()
    ruled.do(c.Rule(round=1, board=1, result="+/-", reason="withdrawn"))
    pairing, _ = joined.pair()
    seats = (pairing.first, pairing.second)
    joined.do(c.Join(game=finished("elsewhere", "1-0"), round=1, seats=seats))
    for competition in (tallied, ruled, joined):
        with pytest.raises(RoundBegun):
            competition.do(BACK)


def test_nothing_is_taken_back_that_is_not_there() -> None:
    competition = Competition(players=2, rounds=1)
    with pytest.raises(BadValue):
        competition.do(BACK)
    competition.play_round()
    competition.do(c.Finish())
    with pytest.raises(TournamentOver):
        competition.do(BACK)
    pending = asked()
    with pytest.raises(BadValue, match="reason"):
        pending.do(c.UnpairRound(round=1, reason=" "))
    with pytest.raises(RoundPending):
        pending.do(c.PairRound())


def test_who_can_be_scheduled_can_be_entered() -> None:
    assert most_entries(TournamentKind.SWISS, 1) == MOST_IN_SWISS
    assert most_entries(TournamentKind.ROUND_ROBIN, 1) == MOST_ROUNDS
    full = Competition("round-robin", players=25, cycles=4)
    with pytest.raises(BadValue, match="at most 25"):
        full.do(c.Enter(player="one more"))
    full.do(c.Withdraw(player="p1"))
    full.do(c.Enter(player="p1"))
    boards = name_boards(full.state, pair_next_round(full.state, None), "salt", 1)
    assert len(boards) == 12
