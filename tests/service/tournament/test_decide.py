"""What happens to a tournament: entries, rounds, results, rulings, games from elsewhere."""

from __future__ import annotations

from decimal import Decimal

import pytest

from notation.errors import BadAnnotation
from service.errors import BadValue, NotFound, ServiceError
from service.game.setup import MAX_TAGS
from service.log.values import Recorded
from service.tournament import commands as c
from service.tournament import events as e
from service.tournament.errors import (
    AlreadyEntered,
    CannotJoin,
    EntriesClosed,
    NothingToRule,
    NotTheArbiter,
    RoundPending,
    TournamentOver,
)
from service.tournament.evolve import fold
from service.tournament.next_round import name_boards, pair_next_round
from service.tournament.pairing.errors import NothingToPair, SeatedTwice, UnfinishedRound
from service.tournament.setup import game_tags
from service.tournament.state import public, table
from service.tournament.table import Result
from service.tournament.values import TournamentStatus
from tests.service.tournament.support import (
    CHIEF,
    ID,
    OUTSIDER,
    PAIRING,
    PLAYER,
    SCORING,
    Competition,
    finished,
    points,
)


def test_a_round_is_told_only_when_all_its_games_are_made() -> None:
    competition = Competition()
    before = competition.state.version
    asked_at = competition.state
    (asked,) = competition.do(c.PairRound())
    assert isinstance(asked, e.RoundAsked)
    assert competition.state.told == before
    competition.settle(asked_at)
    assert len(competition.state.boards) == 2
    assert public(competition.state).rounds == ()
    assert competition.state.told == before
    with pytest.raises(RoundPending):
        competition.do(c.PairRound())
    with pytest.raises(RoundPending):
        competition.do(c.Rule(round=1, board=1, result="1-0", reason="seen"))
    with pytest.raises(RoundPending):
        competition.do(c.Finish())
    confirming = c.ConfirmRound(asked=before + 1)
    competition.do(confirming, PAIRING)
    assert competition.do(confirming, PAIRING) == ()
    assert len(public(competition.state).rounds) == 1
    assert competition.state.told == competition.state.version


def test_ids_of_games_depend_on_the_secret_salt_and_on_when_the_round_was_asked_for() -> None:
    state = Competition().state
    found = pair_next_round(state, None)

    def games(salt: str, asked: int) -> set[str]:
        return {board["game"] for board in name_boards(state, found, salt, asked)}

    assert games("one", 6) == games("one", 6)
    assert games("one", 6).isdisjoint(games("other", 6) | games("one", 7))


def test_a_round_waits_for_the_games_of_the_one_before() -> None:
    competition = Competition()
    first, second = competition.pair()
    competition.end(first, "1-0")
    competition.end(second, "*", termination="unterminated", points=None)
    with pytest.raises(UnfinishedRound):
        competition.do(c.PairRound())
    with pytest.raises(UnfinishedRound):
        competition.do(c.Finish())
    competition.do(c.Rule(round=1, board=2, result="-/-", reason="neither came"))
    competition.pair()
    assert points(competition)["p1"] == "1"


def test_a_round_robin_may_be_paired_ahead_and_ends_with_its_schedule() -> None:
    competition = Competition("round-robin", cycles=2)
    for _ in range(6):
        competition.pair()
    with pytest.raises(NothingToPair):
        competition.do(c.PairRound())
    pairs = [(p.first, p.second) for r in competition.state.rounds for p in r.pairings]
    assert len(set(pairs)) == 12


def test_a_tally_counts_once_and_an_older_one_never_after_a_newer() -> None:
    competition = Competition()
    pairing, _ = competition.pair()
    assert len(competition.end(pairing, "1-0", version=9)) == 1
    assert competition.end(pairing, "1-0", version=9) == ()
    assert competition.end(pairing, "1-0", version=12) == ()
    assert len(competition.end(pairing, "0-1", version=13)) == 1
    assert competition.end(pairing, "1-0", version=9) == ()
    assert competition.state.rounds[0].pairings[0].result is Result.SECOND
    assert competition.do(c.CountGame(game=finished("stranger", "1-0")), SCORING) == ()


@pytest.mark.parametrize(
    ("result", "termination", "counted"),
    [
        ("1-0", "forfeit", Result.FIRST_FORFEIT),
        ("0-1", "forfeit", Result.SECOND_FORFEIT),
        ("1-0", "time forfeit", Result.FIRST),
        ("1/2-1/2", "agreement", Result.DRAW),
        ("0-1", None, Result.SECOND),
    ],
)
def test_a_game_lost_by_forfeit_was_not_played(
    result: str, termination: str | None, counted: Result
) -> None:
    competition = Competition()
    pairing, _ = competition.pair()
    competition.end(pairing, result, termination=termination)
    assert competition.state.rounds[0].pairings[0].result is counted


def test_a_ruling_stands_over_what_the_game_says_until_it_is_lifted() -> None:
    competition = Competition()
    pairing, _ = competition.pair()
    competition.do(c.Rule(round=1, board=1, result="1/2-1/2", reason="clock", points=(4, 4)))
    again = c.Rule(round=1, board=1, result="1/2-1/2", reason="clock", points=(4, 4))
    assert competition.do(again) == ()
    competition.end(pairing, "1-0")
    ruled = competition.state.rounds[0].pairings[0]
    assert (ruled.result, ruled.points) == (Result.DRAW, (4, 4))
    competition.do(c.LiftRuling(round=1, board=1, reason="the clock was right"))
    lifted = competition.state.rounds[0].pairings[0]
    assert (lifted.result, lifted.points) == (Result.FIRST, (3, 2))
    with pytest.raises(NothingToRule):
        competition.do(c.LiftRuling(round=1, board=1, reason="twice"))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"result": "2-0"}, BadValue),
        ({"reason": " "}, BadValue),
        ({"result": "+/-", "points": (1, 0)}, BadValue),
        ({"points": (-1, 0)}, BadValue),
        ({"board": 9}, NotFound),
        ({"round": 9}, NotFound),
    ],
)
def test_a_ruling_must_be_one(wrong: dict[str, object], error: type[ServiceError]) -> None:
    competition = Competition()
    competition.pair()
    given = {"round": 1, "board": 1, "result": "1-0", "reason": "seen"} | wrong
    with pytest.raises(error):
        competition.do(c.Rule(**given))  # type: ignore[arg-type]


def test_late_entries_withdrawals_and_byes() -> None:
    competition = Competition(players=5)
    first = competition.pair()
    (resting,) = {"p1", "p2", "p3", "p4", "p5"} - {x for p in first for x in (p.first, p.second)}
    assert points(competition)[resting] == "1"
    for pairing in first:
        competition.end(pairing, "1/2-1/2")
    competition.do(c.Enter(player="late", rating=2500))
    competition.do(c.GrantBye(player="late", round=1, bye="half-bye"))
    competition.do(c.GrantBye(player="p2", round=2, bye="full-bye"))
    assert competition.do(c.GrantBye(player="p2", round=2, bye="full-bye")) == ()
    competition.do(c.Withdraw(player="p1"))
    with pytest.raises(BadValue):
        competition.do(c.Withdraw(player="p1"))
    second = competition.pair()
    playing = {player for p in second for player in (p.first, p.second)}
    assert "late" in playing
    assert {"p1", "p2"}.isdisjoint(playing)
    assert points(competition)["late"] == "0.5"
    with pytest.raises(AlreadyEntered):
        competition.do(c.Enter(player="late"))
    competition.do(c.Enter(player="p1"))
    assert competition.state.entries["p1"].entered == 1


def test_who_has_left_has_no_bye_any_more() -> None:
    competition = Competition(players=8)
    competition.do(c.GrantBye(player="p1", round=1, bye="half-bye"))
    competition.do(c.GrantBye(player="p1", round=3, bye="half-bye"))
    competition.do(c.GrantBye(player="p2", round=3, bye="half-bye"))
    competition.play_round()
    competition.do(c.Withdraw(player="p1"))
    competition.play_round()
    competition.play_round()
    assert points(competition)["p1"] == "0.5"
    assert [place for place in competition.state.granted if place[1] == 3] == [("p2", 3)]


def test_a_bye_is_granted_before_its_round_and_cancelled_before_it() -> None:
    competition = Competition()
    competition.do(c.GrantBye(player="p1", round=2, bye="half-bye"))
    competition.do(c.CancelBye(player="p1", round=2))
    assert competition.do(c.CancelBye(player="p1", round=2)) == ()
    competition.do(c.GrantBye(player="p1", round=1, bye="zero-bye"))
    competition.pair()
    for command in (
        c.CancelBye(player="p1", round=1),
        c.GrantBye(player="p2", round=1, bye="half-bye"),
        c.GrantBye(player="p2", round=2, bye="pairing-bye"),
        c.GrantBye(player="nobody", round=2, bye="half-bye"),
    ):
        with pytest.raises(BadValue):
            competition.do(command)
    robin = Competition("round-robin")
    with pytest.raises(BadValue, match="has no byes to grant"):
        robin.do(c.GrantBye(player="p1", round=1, bye="half-bye"))


@pytest.mark.parametrize("kind", ["round-robin", "knockout"])
def test_a_schedule_is_made_for_those_who_are_there(kind: str) -> None:
    competition = Competition(kind)
    competition.pair()
    with pytest.raises(EntriesClosed):
        competition.do(c.Enter(player="late"))


def test_who_withdraws_from_a_round_robin_forfeits_what_is_left() -> None:
    competition = Competition("round-robin")
    competition.play_round()
    competition.do(c.Withdraw(player="p1"))
    for pairing in competition.pair():
        forfeited = "p1" in (pairing.first, pairing.second)
        assert (pairing.game is None) == forfeited
        if forfeited:
            lost = Result.SECOND_FORFEIT if pairing.first == "p1" else Result.FIRST_FORFEIT
            assert pairing.result is lost
    competition.do(c.Withdraw(player="p2"))
    results = {p.result for r in range(1) for p in competition.pair()}
    assert results & {Result.BOTH_FORFEIT, Result.FIRST_FORFEIT, Result.SECOND_FORFEIT}
    with pytest.raises(NothingToRule):
        competition.do(c.LiftRuling(round=2, board=1, reason="no game to fall back on"))


def test_who_comes_back_to_a_round_robin_has_the_old_place_in_its_schedule() -> None:
    competition, whole = Competition("round-robin"), Competition("round-robin")
    gone = Competition("round-robin", players=5)
    gone.do(c.Withdraw(player="p5"))
    gone.pair()
    with pytest.raises(EntriesClosed):
        gone.do(c.Enter(player="p5"))
    competition.pair()
    competition.do(c.Withdraw(player="p4"))
    assert any(pairing.game is None for pairing in competition.pair())
    for changed in ("rating", "seed"):
        with pytest.raises(BadValue) as refused:
            competition.do(c.Enter(player="p4", **{changed: 1}))
        assert refused.value.field == changed
    competition.do(c.Enter(player="p4"))
    assert competition.state.entries["p4"].rating == 1996
    last = competition.pair()
    assert all(pairing.game for pairing in last)
    whole.pair()
    whole.pair()
    assert [(p.first, p.second) for p in last] == [(p.first, p.second) for p in whole.pair()]
    cup = Competition("knockout")
    cup.pair()
    cup.do(c.Withdraw(player="p4"))
    with pytest.raises(EntriesClosed):
        cup.do(c.Enter(player="p4"))


def test_a_knockout_is_played_to_its_end() -> None:
    competition = Competition("knockout", players=4, knockout={"third_place": True})
    competition.play_round("1-0")
    competition.play_round("1-0")
    with pytest.raises(NothingToPair):
        competition.do(c.PairRound())
    assert competition.state.rounds[1].pairings[0].first == "p1"


def test_free_pairing_plays_what_it_is_given() -> None:
    league = Competition("free")
    with pytest.raises(BadValue, match="boards"):
        league.do(c.PairRound())
    with pytest.raises(NothingToPair):
        league.do(c.PairRound(boards=[]))
    with pytest.raises(SeatedTwice):
        league.do(c.PairRound(boards=[("p1", "p2"), ("p1", "p3")]))
    (pairing,) = league.pair(boards=[("p3", "p1")])
    assert (pairing.first, pairing.second) == ("p3", "p1")
    with pytest.raises(BadValue, match="boards"):
        Competition().do(c.PairRound(boards=[("p1", "p2")]))


def test_a_game_from_elsewhere_takes_the_place_of_the_one_that_was_made() -> None:
    competition = Competition()
    pairing, _ = competition.pair()
    seats = (pairing.first, pairing.second)
    joining = c.Join(game=finished("elsewhere", "0-1"), round=1, seats=seats)
    joined, tallied = competition.do(joining)
    assert isinstance(joined, e.GameJoined)
    assert isinstance(tallied, e.ResultTallied)
    now = competition.state.rounds[0].pairings[0]
    assert (now.named, now.game, now.result) == (pairing.named, "elsewhere", Result.SECOND)
    assert competition.do(joining) == ()
    assert competition.do(c.CountGame(game=finished(pairing.game or "", "1-0")), SCORING) == ()


def test_a_league_is_made_of_games_that_arrive() -> None:
    league = Competition("free")
    for number, (round, seats) in enumerate(
        [(3, ("p1", "p2")), (1, ("p2", "p3")), (3, ("p1", "p2"))]
    ):
        game = finished(f"game{number}", "1-0")
        league.do(c.Join(game=game, round=round, seats=seats, record=True))
    assert [len(round.pairings) for round in league.state.rounds] == [1, 0, 2]
    assert points(league) == {"p1": "2", "p2": "1", "p3": "0", "p4": "0"}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"round": 2}, "no open pairing"),
        ({"round": 0}, "rounds go from 1"),
        ({"seats": ("p1", "stranger")}, "two who have entered"),
        ({"seats": ("p1", "p1")}, "two who have entered"),
        ({"game": finished("elsewhere", "*")}, "no result"),
        ({"game": finished("elsewhere", "1-0", variant="kerd")}, "a game of kerd"),
    ],
)
def test_a_game_that_does_not_belong_here_cannot_join(
    wrong: dict[str, object], reason: str
) -> None:
    competition = Competition()
    pairing, _ = competition.pair()
    seats = (pairing.first, pairing.second)
    given = {"game": finished("elsewhere", "1-0"), "round": 1, "seats": seats} | wrong
    with pytest.raises(CannotJoin, match=reason):
        competition.do(c.Join(**given))  # type: ignore[arg-type]
    turned = c.Join(game=finished("elsewhere", "1-0"), round=1, seats=seats[::-1])
    with pytest.raises(CannotJoin, match="with these sides"):
        competition.do(turned)


def test_only_records_that_an_arbiter_imported_join_by_themselves() -> None:
    league = Competition("free")
    joining = c.Join(game=finished("game", "1-0"), round=1, seats=("p1", "p2"), record=True)
    for actor in (OUTSIDER, PLAYER):
        with pytest.raises(NotTheArbiter):
            league.do(joining, actor)
    league.do(c.PairRound(boards=[("p1", "p2")]))
    with pytest.raises(CannotJoin, match="not ready"):
        league.do(joining, CHIEF)


def test_a_finished_tournament_changes_only_in_its_results() -> None:
    competition = Competition()
    for _ in range(3):
        competition.play_round()
    competition.do(c.Finish())
    assert competition.do(c.Finish()) == ()
    assert competition.state.status is TournamentStatus.FINISHED
    for command in (
        c.Enter(player="late"),
        c.Withdraw(player="p1"),
        c.PairRound(),
        c.GrantBye(player="p1", round=4, bye="half-bye"),
        c.CancelBye(player="p1", round=4),
        c.Join(game=finished("elsewhere", "1-0"), round=1, seats=("p1", "p2")),
    ):
        with pytest.raises(TournamentOver):
            competition.do(command)
    before = points(competition)
    competition.end(competition.state.rounds[0].pairings[0], "0-1", version=20)
    after = points(competition)
    assert before != after
    assert sum(map(Decimal, before.values())) == sum(map(Decimal, after.values()))


def test_a_state_is_the_fold_of_its_events() -> None:
    competition = Competition(players=5)
    competition.play_round()
    competition.do(c.Withdraw(player="p2"))
    assert fold(ID, competition.log) == competition.state
    half = len(competition.log) // 2
    assert fold(ID, competition.log[half:], fold(ID, competition.log[:half])) == competition.state
    with pytest.raises(ValueError, match="cannot begin"):
        fold(ID, [Recorded(1, e.RoundReady(round=1), 0, "x")])


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"name": "?"}, BadValue),
        ({"name": "two\nlines"}, BadAnnotation),
        ({"rounds": None}, BadValue),
        ({"kind": "round-robin", "rounds": 3}, BadValue),
        ({"rounds": 0}, BadValue),
        ({"cycles": 2}, BadValue),
        ({"knockout": {"games": 2}}, BadValue),
        ({"scoring": {"name": "unheard of"}}, BadValue),
        ({"scoring": {"name": "own", "version": 1, "match": {"win": 1}}}, BadValue),
        ({"order": ["buchholz"]}, BadValue),
        ({"order": ["match-points", "game-points"], "variant": "kerd"}, BadValue),
        ({"tags": {"Round": "1"}}, BadValue),
        ({"tags": {"PlyLimit": "few"}}, BadAnnotation),
        ({"tags": {"DrawByPoints": "yes"}}, BadValue),
        ({"tags": {"DrawByPoints": "Yes"}, "variant": "kerak"}, BadValue),
        ({"secret_choice": "none"}, BadValue),
    ],
)
def test_what_cannot_be_played_is_not_set_up(
    wrong: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Competition(**({"kind": "swiss"} | wrong))  # type: ignore[arg-type]


def test_there_is_room_for_the_tags_of_a_games_place() -> None:
    tags = {f"Tag{number}": "x" for number in range(60)}
    assert len(game_tags(Competition(tags=tags).state.rules, ID, 1, 1)) == MAX_TAGS
    with pytest.raises(BadValue, match="at most 60 tags"):
        Competition(tags=tags, ply_limit=200)


def test_seeds_follow_the_arbiter_then_the_ratings_then_the_entries() -> None:
    competition = Competition(players=0)
    competition.do(c.Enter(player="unrated"))
    competition.do(c.Enter(player="strong", rating=2400))
    competition.do(c.Enter(player="placed", rating=1000, seed=1))
    competition.do(c.Enter(player="also unrated"))
    seeded = [entrant.id for entrant in table(competition.state).entrants]
    assert seeded == ["placed", "strong", "unrated", "also unrated"]
