"""A tournament's exported log: every change in it is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.api.tournament_views import make_standings_grid, write_csv
from service.game.permissions import PAIRER, SCORER
from service.log.chain import canonical, chain_events
from service.log.values import GENESIS, Recorded, StreamId
from service.player.actor import Actor
from service.player.names.shown import ShownName
from service.player.scopes import PLAY
from service.records.export import write_whole_log
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.tournament import commands as c
from service.tournament import events as e
from service.tournament import next_round
from service.tournament.next_round import pair_next_round
from service.tournament.pairing.berger import berger
from service.tournament.pairing.board import PairedBoard, PairedRound
from service.tournament.pairing.legality import find_swiss_fault
from service.tournament.scheme import STANDARD, scheme_to_json
from service.tournament.state import table
from service.tournament.table import EntrantId, Mark
from service.verification.errors import Unverifiable, Wrong
from service.verification.events import verify_events
from service.verification.standings import verify_standings
from service.verification.tournament import rank
from service.verification.tournament_commands import as_paired_earlier
from tests.service.tournament.support import CHIEF, ID, PAIRING, Competition, finished
from tests.service.verification.support import changed, fault, rechained

STREAM = StreamId("tournament", ID)


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer(KeyFile(tmp_path / "signing.key"))


def export(competition: Competition, signer: Signer) -> bytes:
    """The tournament's log as it is exported."""
    recorded: list[Recorded] = []
    before = GENESIS
    for entry in competition.log:
        recorded += chain_events(STREAM, len(recorded), [entry.event], entry.at, entry.by, before)
        before = recorded[-1].hash
    return b"".join(write_whole_log(STREAM, [recorded], signer))


def open_tournament() -> Competition:
    """A Swiss of three rounds: byes, a late entry, a withdrawal, a return, a ruling, its end."""
    made = Competition(players=5)
    made.do(c.AppointArbiter(player="deputy"))
    made.play_round()
    made.do(c.Withdraw(player="p3"))
    made.do(c.GrantBye(player="p1", round=2, bye="half-bye"))
    made.do(c.Enter(player="p6", rating=1500))
    for pairing in made.pair():
        made.end(pairing, "0-1", points=None)
    made.do(c.Rule(round=1, board=1, result="-/+", reason="never came"))
    made.do(c.Enter(player="p3", rating=1700))
    made.play_round("1/2-1/2")
    made.do(c.DismissArbiter(player="deputy"))
    made.do(c.Finish())
    return made


def test_the_earlier_order_of_four_players_rounds_is_verified(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Competition("round-robin", 4, cycles=4)
    with monkeypatch.context() as patch:
        patch.setattr(next_round, "berger", partial(berger, earlier=True))
        for _ in range(12):
            made.play_round()
    assert verify_events(export(made, signer), signer.public_keys).error is None


def test_entries_that_earlier_versions_recorded_are_verified(signer: Signer) -> None:
    made = Competition(players=8, rounds=7)
    for _ in range(4):
        made.play_round()
    made.do(c.Withdraw(player="p1"))
    made.record([e.PlayerEntered(player="p1", round=5)], CHIEF)
    made.record([e.PlayerEntered(player="p9", round=5, seed=1)], CHIEF)
    assert verify_events(export(made, signer), signer.public_keys).error is None
    made.record([e.PlayerEntered(player="p10", round=4)], CHIEF)
    assert verify_events(export(made, signer), signer.public_keys).error is not None


def test_a_knockout_paired_without_the_game_points_of_forfeits_is_verified(
    signer: Signer,
) -> None:
    scheme = scheme_to_json(replace(STANDARD, name="own", game={Mark.FORFEIT_WIN: 6}))
    rules = {"games": 2, "by_game_points": True}
    made = Competition("knockout", 4, scoring=scheme, knockout=rules)
    for pairing in made.pair():
        made.end(pairing, "1-0", points=(3, 0))
    for pairing in made.pair():
        made.end(pairing, "1-0", termination="forfeit", points=None)
    before = made.state
    made.do(c.PairRound())
    made.settle(as_paired_earlier(before))
    assert [board.second for board in made.state.rounds[-1].pairings] == ["p2"]
    assert verify_events(export(made, signer), signer.public_keys).error is None
    assert [board.second for board in pair_next_round(before, None).boards] == ["p4"]


def test_a_tournament_of_an_earlier_version_with_more_tags_is_verified(signer: Signer) -> None:
    made = Competition(players=0)
    (first,) = made.log
    tags = {f"Tag{number}": "x" for number in range(64)}
    made.log[0] = replace(first, event=replace(first.event, tags=tags))  # type: ignore[call-arg]
    assert verify_events(export(made, signer), signer.public_keys).error is None


KINDS: dict[str, dict[str, Any]] = {
    "swiss": {},
    "round-robin": {"cycles": 2},
    "knockout": {"knockout": {"games": 1, "deciders": 1, "third_place": True}},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("players", [3, 4, 6])
def test_tournaments_of_every_kind_are_verified(kind: str, players: int, signer: Signer) -> None:
    made = Competition(kind, players, **KINDS[kind])
    for _ in range(2):
        for pairing in made.pair():
            made.end(pairing, "1-0", plies=20 + pairing.board)
    verdict = verify_events(export(made, signer), signer.public_keys)
    assert (verdict.error, len(verdict.proven)) == (None, 4)
    assert f"a {kind} of katruji, {players} players, 2 rounds" in verdict.proven[2]
    leader = rank(made.state)[0].entrant
    assert verdict.proven[3].startswith(f"standings: recomputed from the results; first {leader}")


def test_free_boards_joined_games_and_a_round_taken_back_are_verified(signer: Signer) -> None:
    made = Competition("free", 4)
    made.pair(boards=[("p1", "p2"), ("p3", "p4")])
    made.do(c.UnpairRound(round=1, reason="too early"))
    made.pair(boards=[("p2", "p1")])
    game = finished("g" * 16, "1-0", seats=("p3", "p4"))
    made.do(c.Join(game=game, round=1, seats=("p3", "p4")))
    assert verify_events(export(made, signer), signer.public_keys).error is None


def test_players_who_enter_themselves_and_first_results_are_verified(signer: Signer) -> None:
    made, late = Competition(self_entry=True), Actor("late", frozenset({PLAY}))
    made.do(c.Enter(player="late"), late)
    made.do(c.CloseSelfEntry())
    made.pair()
    made.do(c.EnterResults(round=1, results=[{"board": 1, "result": "1-0"}]))
    assert verify_events(export(made, signer), signer.public_keys).error is None


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_rated_and_seeded_players_who_return_by_themselves_are_verified(
    rounds: int, signer: Signer
) -> None:
    made, back = Competition(rounds=9, players=8, self_entry=True), Actor("p2", frozenset({PLAY}))
    made.do(c.CorrectEntry(player="p2", seed=3))
    for _ in range(rounds):
        made.play_round()
    made.do(c.Withdraw(player="p2"), back)
    entered = e.PlayerEntered(player="p2", round=rounds + 1, rating=1998, seed=3)
    assert made.do(c.Enter(player="p2"), back) == (entered,)
    assert verify_events(export(made, signer), signer.public_keys).error is None
    made.do(c.Withdraw(player="p2"), back)
    made.record([replace(entered, rating=2400)], back)
    error = verify_events(export(made, signer), signer.public_keys).error
    assert isinstance(error, Wrong)
    assert "is given by an arbiter" in error.reason


def test_a_player_who_returns_with_another_rating_while_a_round_is_paired_is_verified(
    signer: Signer,
) -> None:
    made = Competition(rounds=9, players=8)
    for _ in range(4):
        made.play_round()
    made.do(c.Withdraw(player="p2"))
    before = made.state
    made.do(c.PairRound())
    returned = made.do(c.Enter(player="p2", rating=2400))
    assert [event.stored_name for event in returned] == ["player-entered/1", "entry-corrected/1"]
    made.settle(before)
    assert verify_events(export(made, signer), signer.public_keys).error is None
    made.record(returned[1:], CHIEF)
    error = verify_events(export(made, signer), signer.public_keys).error
    assert isinstance(error, Wrong)
    assert "entry-corrected/1 cannot follow: round 5" in error.reason


@pytest.mark.parametrize("pending", [False, True])
def test_rated_late_entries_of_this_version_and_of_earlier_ones_are_verified(
    pending: bool, signer: Signer
) -> None:
    made = Competition(rounds=9, players=8)
    for _ in range(4):
        made.play_round()
    # Earlier, the rating changed the pairing numbers.
    made.record([e.PlayerEntered(player="old", round=5, rating=2500)], CHIEF)
    before = made.state
    if pending:
        made.do(c.PairRound())
    entered = made.do(c.Enter(player="new", rating=2600))
    assert [event.stored_name for event in entered] == ["player-entered/1", "entry-corrected/1"]
    if pending:
        made.settle(before)
    assert verify_events(export(made, signer), signer.public_keys).error is None


def test_corrections_of_what_was_entered_wrong_are_verified(signer: Signer) -> None:
    made = Competition(players=5, over_the_board=True, rated=False)
    made.do(c.Amend(changes={"name": "Spring", "rounds": 4}))
    made.do(c.CorrectEntry(player="p5", replacement="eva", rating=1500))
    made.do(c.Enter(player="p9"))
    made.do(c.RemoveEntry(player="p9"))
    for _ in range(3):
        for pairing in made.pair():
            made.do(c.Rule(round=pairing.round, board=pairing.board, result="1-0"))
    made.do(c.Amend(changes={"rounds": 3}, reason="it is late"))
    made.do(c.CorrectEntry(player="eva", replacement="eve"))
    made.do(c.Finish())
    assert verify_events(export(made, signer), signer.public_keys).error is None
    cancelled = Competition()
    cancelled.do(c.Cancel())
    assert verify_events(export(cancelled, signer), signer.public_keys).error is None


def test_a_tournament_with_everything_in_it_is_verified(signer: Signer) -> None:
    verdict = verify_events(export(open_tournament(), signer), signer.public_keys)
    assert verdict.error is None
    assert "6 players, 3 rounds, every pairing legal" in verdict.proven[2]


def test_whatever_is_changed_in_an_export_is_named_by_its_line(signer: Signer) -> None:
    """Without a new chain: each line edited, swapped with the next one, or removed."""
    data = export(open_tournament(), signer)
    lines = data.splitlines(keepends=True)
    for at in range(1, len(lines) - 2):
        assert fault(b"".join([*lines[:at], *lines[at + 1 :]]), None).place.line == at + 1
        swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        assert fault(b"".join(swapped), None).place.line == at + 1
        told = json.loads(lines[at])
        told["by"] = "somebody"
        edited = [*lines[:at], canonical(told) + b"\n", *lines[at + 1 :]]
        assert fault(b"".join(edited), None).place.line == at + 1
    result = changed(data, b'"result":"-/+"', b'"result":"+/-"')
    at = next(n for n, line in enumerate(lines, 1) if b'"result":"-/+"' in line)
    assert fault(result, signer.public_keys).place.line == at


def edit(name: str, by: str | None = None, **members: Any) -> Callable[[list[Any]], int]:
    """A function that changes the first event of this name, and returns its line number."""

    def change(events: list[Any]) -> int:
        number, event = next(
            (n, e) for n, e in enumerate(events, 1) if e["type"].partition("/")[0] == name
        )
        event["data"].update(members)
        event["by"] = by or event["by"]
        return number

    return change


def turn_board(events: list[Any]) -> int:
    """Exchange two players of round 2, so that two who met in round 1 meet again."""
    first, second = [
        (n, e) for n, e in enumerate(events, 1) if e["type"].startswith("round-paired")
    ][:2]
    number, event = second
    there = event["data"]["boards"]
    met = {frozenset((b["first"], b["second"])) for b in first[1]["data"]["boards"]}
    seats = [(board, side) for board in there for side in ("first", "second")]
    for one, side in seats:
        for other, its in seats:
            if one is not other:
                one[side], other[its] = other[its], one[side]
                if any(frozenset((b["first"], b["second"])) in met for b in there):
                    return number
                one[side], other[its] = other[its], one[side]
    raise AssertionError("nobody could meet again")


def remove_byes(events: list[Any]) -> int:
    """Omit the byes of the first round."""
    number = next(n for n, e in enumerate(events) if e["type"].startswith("round-paired"))
    del events[number]["data"]["byes"]
    return number + 1


def drop(name: str) -> Callable[[list[Any]], int]:
    """A function that removes the first event of this name; returns the line where that shows."""

    def change(events: list[Any]) -> int:
        number = next(n for n, e in enumerate(events) if e["type"].startswith(name))
        del events[number]
        return number + 1

    return change


def swap_ready(events: list[Any]) -> int:
    """Make the first round ready before it is paired."""
    number = next(n for n, e in enumerate(events) if e["type"].startswith("round-ready"))
    events[number - 1 : number + 1] = [events[number], events[number - 1]]
    return number


def repeat_tally(events: list[Any]) -> int:
    """Count the first result twice."""
    number = next(n for n, e in enumerate(events) if e["type"].startswith("result-tallied"))
    events.insert(number + 1, events[number])
    return number + 2


FORGED: list[tuple[Callable[[list[Any]], int], str]] = [
    (edit("tournament-created", rounds=0), "1 to 100"),
    (edit("tournament-created", variant="chess"), "chess"),
    (edit("tournament-created", order=["wins"]), "match points"),
    (edit("player-entered", by="outsider"), "only an arbiter"),
    (edit("player-entered", round=2), "round 1, not 2"),
    (edit("arbiter-appointed", by="outsider"), "only an arbiter"),
    (edit("player-withdrawn", player="p9"), "is not in the tournament"),
    (edit("bye-granted", bye="pairing-bye"), "one of"),
    (edit("round-asked", by="outsider"), "only an arbiter"),
    (edit("round-asked", round=2), "the next round to pair is 1"),
    (edit("round-paired", by="outsider"), PAIRER),
    (remove_byes, "not everybody"),
    (turn_board, "have met before"),
    (swap_ready, "changes nothing"),
    (drop("round-asked"), "changes nothing"),
    (drop("player-entered"), "not"),
    (edit("round-ready", by="outsider"), PAIRER),
    (edit("result-tallied", by="outsider"), "counted by outsider"),
    (edit("result-tallied", result="-/-"), "no game ends -/-"),
    (edit("result-tallied", result="2-0"), "no game ends 2-0"),
    (edit("result-tallied", result="+/-"), "result"),
    (edit("result-tallied", termination="boredom"), "boredom"),
    (edit("result-tallied", game="x" * 16), "is not that of this board"),
    (edit("result-tallied", points=[10**9, 0]), "0 to"),
    (edit("result-tallied", board=2), "is not that of this board"),
    (repeat_tally, "changes nothing"),
    (edit("result-ruled", by="outsider"), "only an arbiter"),
    (edit("result-ruled", reason=""), "reason"),
    (edit("result-ruled", board=9), "9"),
    (edit("tournament-finished", by="p1"), "only an arbiter"),
]


@pytest.mark.parametrize(("forge", "reason"), FORGED)
def test_a_forged_log_is_found_though_its_chain_was_made_anew(
    forge: Callable[[list[Any]], int], reason: str, signer: Signer
) -> None:
    """Even if the signature is not checked, no tournament goes like this."""
    *events, head = map(json.loads, export(open_tournament(), signer).splitlines())
    number = forge(events)
    wrong = fault(rechained([*map(canonical, events), canonical(head)]), None)
    assert reason in wrong.reason
    if number > 1 or "created" in wrong.reason:
        assert wrong.place.line is not None
        assert wrong.place.line >= number


def test_a_log_forged_without_a_trace_fails_by_its_signature(
    signer: Signer, tmp_path: Path
) -> None:
    """A win for the other side is possible, but it is not what was signed."""
    lines = export(open_tournament(), signer).splitlines()
    at = next(n for n, line in enumerate(lines) if b"result-tallied/1" in line)
    told = json.loads(lines[at])
    told["data"]["result"] = "0-1" if told["data"]["result"] == "1-0" else "1-0"
    lines[at] = canonical(told)
    assert verify_events(rechained(lines), None).error is None
    reason = "the signature does not match what it signs"
    assert fault(rechained(lines), signer.public_keys).reason == reason
    other = Signer(KeyFile(tmp_path / "other.key"))
    assert "not among those given" in fault(rechained(lines, other), signer.public_keys).reason


def test_a_round_of_the_schedule_is_not_anothers(signer: Signer) -> None:
    made = Competition("round-robin", 4)
    made.play_round()
    *events, head = map(json.loads, export(made, signer).splitlines())
    paired = next(e for e in events if e["type"].startswith("round-paired"))
    one, other = paired["data"]["boards"]
    one["second"], other["second"] = other["second"], one["second"]
    wrong = fault(rechained([*map(canonical, events), canonical(head)]), None)
    assert "board 1 is not the one that the rules pair" in wrong.reason


def test_a_game_stands_on_one_board_alone(signer: Signer) -> None:
    made = Competition("round-robin", 4)
    before = made.state
    made.do(c.PairRound())
    made.settle(before)
    *events, head = map(json.loads, export(made, signer).splitlines())
    one, other = events[-1]["data"]["boards"]
    other["game"] = one["game"]
    wrong = fault(rechained([*map(canonical, events), canonical(head)]), None)
    assert wrong.reason.endswith("two boards have the same game")


def boards(*pairs: str) -> PairedRound:
    """A round by the last digits of players' ids: "12" is a board, "5" is a bye."""
    seated = [pair for pair in pairs if len(pair) == 2]
    made = [PairedBoard(EntrantId(f"p{pair[0]}"), EntrantId(f"p{pair[1]}")) for pair in seated]
    return PairedRound(tuple(made), tuple(EntrantId(f"p{one}") for one in pairs if len(one) == 1))


def test_what_no_swiss_pairing_may_be() -> None:
    made = Competition(players=5, rounds=4)
    made.play_round()
    (bye,) = (bye.entrant[1] for bye in table(made.state).byes)
    assert bye == "5"
    first = [f"{p.first[1]}{p.second[1]}" for p in made.state.rounds[0].pairings]
    assert sorted(first) == ["13", "42"]
    before = table(made.state)
    assert find_swiss_fault(before, 4, boards("21", "35", "4")) is None
    assert find_swiss_fault(before, 4, boards("31", "25", "4")) == "p3 and p1 have met before"
    seen = find_swiss_fault(before, 4, boards("21", "34", "5"))
    assert seen == "p5 has had a bye or a forfeit win before"
    assert "not everybody" in (find_swiss_fault(before, 4, boards("21", "35")) or "")
    assert "left over" in (find_swiss_fault(before, 4, boards("21", "3", "4", "5")) or "")
    made.do(c.PairRound())
    pending = made.state.pending
    assert pending is not None
    told = [
        {"board": n, "first": f"p{a}", "second": f"p{b}", "game": f"g{n}"}
        for n, (a, b) in enumerate([("1", "4"), ("5", "2")], 1)
    ]
    byes = [{"player": "p3", "bye": "pairing-bye"}]
    made.do(c.SettleRound(asked=pending.version, boards=told, byes=byes), PAIRING)
    made.do(c.ConfirmRound(asked=pending.version), PAIRING)
    for game in ("g1", "g2"):
        made.end_by_id(game, "1-0")
    # 1 has had the first side twice, and 2 the second side twice.
    later = table(made.state)
    assert find_swiss_fault(later, 4, boards("21", "34", "5")) is not None
    assert find_swiss_fault(later, 4, boards("42", "35", "1")) is not None
    seen = find_swiss_fault(later, 4, boards("21", "54", "3"))
    assert seen == "p3 has had a bye or a forfeit win before"


def standings_of(competition: Competition) -> dict[str, Any]:
    """The standings as the API answers them."""
    state = competition.state
    order = list(state.rules.regulations.order)
    return {
        "id": ID,
        "name": "Open",
        "version": state.version,
        "round": len(state.rounds),
        "order": order,
        "standings": [
            {
                "place": one.place,
                "player": {"id": one.entrant, "name": one.entrant.upper()},
                "values": dict(zip(order, map(str, one.values), strict=True)),
            }
            for one in rank(state)
        ],
    }


def fault_of_standings(data: bytes, log: bytes, signer: Signer) -> str:
    """The fault found in standings."""
    error = verify_standings(data, log, signer.public_keys).error
    assert isinstance(error, Wrong), error
    return str(error)


def test_every_number_of_standings_is_computed_again(signer: Signer) -> None:
    made = open_tournament()
    log = export(made, signer)
    told = standings_of(made)
    for one in told["standings"]:
        one["values"] = {term: f"{float(n):g}" for term, n in one["values"].items()}
    verdict = verify_standings(json.dumps(told).encode(), log, signer.public_keys)
    assert (verdict.status, "6 players" in verdict.proven[0]) == (0, True)
    for row in range(len(told["standings"])):
        for term in told["order"]:
            forged = json.loads(json.dumps(told))
            forged["standings"][row]["values"][term] = "99"
            reason = fault_of_standings(json.dumps(forged).encode(), log, signer)
            player = forged["standings"][row]["player"]["id"]
            assert reason.startswith(f"{player} has {term} 99, by the log ")
        forged = json.loads(json.dumps(told))
        forged["standings"][row]["place"] += 7
        assert " has place " in fault_of_standings(json.dumps(forged).encode(), log, signer)
    forged = {**told, "standings": told["standings"][:-1]}
    reason = fault_of_standings(json.dumps(forged).encode(), log, signer)
    assert reason == "5 players are ranked here, 6 by the log"
    swapped = [told["standings"][1], told["standings"][0], *told["standings"][2:]]
    reason = fault_of_standings(json.dumps({**told, "standings": swapped}).encode(), log, signer)
    assert " stands where the log has " in reason
    for name, value in (("id", "x" * 16), ("order", ["wins"])):
        fault_of_standings(json.dumps({**told, name: value}).encode(), log, signer)


def test_a_table_of_standings_is_computed_again(signer: Signer) -> None:
    made = open_tournament()
    log = export(made, signer)
    names = {player: ShownName(player.upper(), None) for player in made.state.entries}
    grid = make_standings_grid(tuple(rank(made.state)), made.state.rules.regulations, names)
    text = write_csv(grid)
    assert verify_standings(text.encode(), log, signer.public_keys).status == 0
    lines = text.splitlines()
    for number, line in enumerate(lines[1:], 2):
        place, *rest = line.split(",")
        forged = [*lines[: number - 1], ",".join([str(int(place) + 1), *rest]), *lines[number:]]
        reason = fault_of_standings("\n".join(forged).encode(), log, signer)
        assert reason.startswith(f"line {number}: ")
    for text in ("", "a,b\n1,2\n", '{"standings": []}', "\xff"):
        reason = fault_of_standings(text.encode("latin-1"), log, signer)
        assert reason == "the file holds no standings as the service gives them"


def test_standings_need_the_log_up_to_their_version(signer: Signer) -> None:
    made = open_tournament()
    log = export(made, signer)
    later = json.dumps({**standings_of(made), "version": 999}).encode()
    error = verify_standings(later, log, signer.public_keys).error
    assert isinstance(error, Unverifiable)
    assert "before version 999" in error.reason
    assert isinstance(verify_standings(later, log[:-5], None).error, Unverifiable)


def test_scorer_and_chief_are_who_they_are() -> None:
    """The log's authors are those that the tests of forged events rely on."""
    assert {entry.by for entry in open_tournament().log} == {CHIEF.player, PAIRER, SCORER}
