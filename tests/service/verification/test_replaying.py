"""Events in a sound chain, checked against the rules."""

from __future__ import annotations

import json

import pytest

from engine.side import Side
from service.game.commands import (
    AcceptChallenge,
    AdmitAnnotator,
    AnnotateAction,
    Annotation,
    PlayAction,
    ReopenGame,
    Resign,
    WithdrawAnnotator,
)
from service.game.events import EVENTS
from service.game.importing import import_command
from service.game.values import Mode
from service.log.chain import canonical
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.verification.errors import Unverifiable
from service.verification.event_checks import BEGINNINGS, MOMENTS
from service.verification.events import verify_events
from tests.games import recorded
from tests.service.game.support import ID, NORTH, SCRIBE, SOUTH, new_game
from tests.service.verification.support import Archive, changed, fault, rechained


def test_every_event_has_its_moments() -> None:
    assert {*MOMENTS, *BEGINNINGS} == {*EVENTS.values()}


@pytest.fixture
def log(katruji: Archive) -> bytes:
    return katruji.log()


def edited(log: bytes, number: int, **data: object) -> bytes:
    """An export with changed fields in one event, and a new chain."""
    lines = log.splitlines()
    event = json.loads(lines[number - 1])
    event["data"] = {k: v for k, v in {**event["data"], **data}.items() if v is not None}
    lines[number - 1] = canonical(event)
    return rechained(lines)


@pytest.mark.parametrize(
    ("number", "data", "reason", "ply"),
    [
        (4, {"action": "a3b2", "san": "Sb2"}, "can go to b2", 3),
        (4, {"ply": 7}, "ply 7 where 3 is due", 3),
        (4, {"action": "Sab3"}, "not the coordinate form", 3),
        (4, {"san": "Pb4"}, "Pb4 is not a3b3", 3),
        (7, {"to_ply": 5}, "back to ply 5 of a game with 5", None),
        (8, {"ply": 5}, "ply 5 of a game with 4", None),
        (9, {"result": "nonsense"}, "is not one of 1-0", 4),
        (9, {"termination": "yara"}, "did not end", 4),
        (10, {"points": [0, 1]}, "the points are (0, 0)", None),
        (10, {"points": "many"}, "does not allow", None),
        (10, {"more": 1}, "are not those of its type", None),
        (1, {"variant": "chess"}, "unknown variant", None),
        (1, {"mode": "nonsense"}, "nonsense", None),
    ],
)
def test_what_the_rules_do_not_allow_is_found_under_a_sound_chain(
    log: bytes, number: int, data: dict[str, object], reason: str, ply: int | None
) -> None:
    wrong = fault(edited(log, number, **data), None)
    assert reason in wrong.reason
    assert (wrong.place.event, wrong.place.line, wrong.place.ply) == (number, number, ply)


def test_an_event_of_a_newer_service_cannot_be_judged(log: bytes) -> None:
    lines = changed(log, b"action-annotated/1", b"action-annotated/9").splitlines()
    error = verify_events(rechained(lines), None).error
    assert isinstance(error, Unverifiable)
    assert "newer version" in error.reason


@pytest.mark.parametrize("said", [rb"[Result \"1-0\"]", rb'1-0\n"'])
def test_a_record_that_says_another_end_than_its_event_is_found(
    empty: Archive, said: bytes
) -> None:
    game = next(game for game in recorded("katruji") if game.result == "1-0")
    empty.games.create(ID, import_command(game, None, None), SCRIBE)
    log = empty.log()
    assert verify_events(log, None).error is None
    assert log.count(said) == 1
    lines = log.replace(said, said.replace(b"1-0", b"0-1")).splitlines()
    wrong = fault(rechained(lines), None)
    assert (wrong.place.event, "1-0" in wrong.reason, "0-1" in wrong.reason) == (1, True, True)


def test_events_out_of_their_moment_are_found(log: bytes) -> None:
    lines = log.splitlines()
    moved = [*lines[:8], lines[8], lines[1], *lines[9:]]
    wrong = fault(rechained(moved), None)
    assert (wrong.place.event, wrong.reason) == (10, "not possible in a game that is finished")
    begun_twice = [lines[0], lines[0], *lines[1:]]
    assert fault(rechained(begun_twice), None).place.event == 2
    assert fault(rechained([lines[1], lines[-1]]), None).place.event == 1
    assert fault(rechained([lines[-1]]), None).reason == "a game without any event"


def test_a_game_that_the_rules_ended_has_an_end(empty: Archive) -> None:
    """South captures and has 18 points: the game is over, even if the log omits its end."""
    fen = "4/4/4/P3/O3/4/4/4 s 17-0 - 0 1"
    empty.games.create(ID, new_game(Mode.SCRIBE, fen=fen), SCRIBE)
    empty.do(PlayAction(token="a4a5"))
    assert empty.games.load(ID).ending is not None
    assert verify_events(empty.log(), empty.keys).error is None
    lines = empty.log().splitlines()
    assert len(lines) == 4
    wrong = fault(rechained([*lines[:2], lines[3]]), None)
    assert (wrong.place.ply, "the game ended 1-0 by yara" in wrong.reason) == (1, True)


def test_resigning_before_the_choices_discloses_what_there_is(empty: Archive) -> None:
    empty.games.create(ID, new_game(Mode.SCRIBE, variant="kerd"), SCRIBE)
    empty.do(Resign(side=Side.FIRST))
    assert verify_events(empty.log(), empty.keys).error is None


def annotated(katruji: Archive) -> bytes:
    """The log of an ended game with variations by an annotator who was admitted, then withdrawn."""
    text = "2. Pb4 {better} (2. Pd4) 2... Pa5 (2... Pc5)"
    note = AnnotateAction(ply=3, annotation=Annotation(nags=(2,)), variations=(text,))
    katruji.do(AdmitAnnotator(player="friend"))
    katruji.do(note, by=Actor("friend", frozenset({PLAY})))
    katruji.do(WithdrawAnnotator(player="friend"))
    return katruji.log()


def test_variations_are_verified(katruji: Archive) -> None:
    report = verify_events(annotated(katruji), katruji.keys)
    assert report.error is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"(2. Pd4)", b"(2. Pd9)", "Pd9"),
        (b"{better} ", b"{better}", "canonical"),
        (b'"ply":3,"variations"', b'"ply":9,"variations"', "ply 9"),
        (b"annotator-admitted", b"annotator-withdrawn", "without having been admitted"),
    ],
)
def test_wrong_variations_and_annotators_are_found(
    katruji: Archive, old: bytes, new: bytes, reason: str
) -> None:
    lines = changed(annotated(katruji), old, new).splitlines()
    assert reason in fault(rechained(lines), None).reason


def test_variations_in_a_game_that_is_played_are_found(empty: Archive) -> None:
    """A forged log could have them, to help a player."""
    empty.games.create(ID, new_game(Mode.CHALLENGE), SOUTH)
    empty.do(AcceptChallenge(), by=NORTH)
    empty.do(PlayAction(token="Sd1"), by=SOUTH)
    empty.do(AnnotateAction(ply=1, annotation=Annotation(after=("oh",))), by=SOUTH)
    lines = changed(empty.log(), b"action-annotated/1", b"action-annotated/2").splitlines()
    assert "still played" in fault(rechained(lines), None).reason


REOPEN = ReopenGame(reason="misheard")


def test_r35_a_reopened_game_is_replayed_end_by_end(kerd: Archive) -> None:
    kerd.do(REOPEN, PlayAction(token="d3"), Resign(side=Side.FIRST))
    assert verify_events(kerd.log(), kerd.keys).error is None
    lines = kerd.log().splitlines()
    first_end = next(n for n, line in enumerate(lines) if b"game-ended/1" in line)
    told = json.loads(lines[first_end])
    # What a withdrawn end said must be right all the same.
    told["data"] |= {"result": "0-1", "termination": "mate"}
    wrong = fault(rechained([*lines[:first_end], canonical(told), *lines[first_end + 1 :]]), None)
    reopening = next(n for n, line in enumerate(lines, 1) if b"game-reopened/1" in line)
    assert wrong.place.event == reopening
    assert "did not end 0-1 by mate" in wrong.reason


def test_r35_a_choice_is_disclosed_once(kerd: Archive) -> None:
    lines = kerd.log().splitlines()
    wrong = fault(rechained([*lines[:8], lines[7], lines[8]]), None)
    assert (wrong.place.event, wrong.reason) == (9, "a choice is disclosed a second time")


def test_r35_a_reopening_out_of_its_moment_is_found(katruji: Archive, empty: Archive) -> None:
    katruji.do(REOPEN)
    lines = katruji.log().splitlines()
    wrong = fault(rechained([*lines[:3], lines[-2], *lines[3:-2], lines[-1]]), None)
    assert (wrong.place.event, wrong.reason) == (4, "not possible in a game that is running")
    game = next(game for game in recorded("katruji") if game.result == "1-0")
    empty.games.create(ID, import_command(game, None, None), SCRIBE)
    record = empty.log().splitlines()
    reopened = json.loads(lines[-2]) | {"stream": json.loads(record[0])["stream"]}
    wrong = fault(rechained([record[0], canonical(reopened), record[-1]]), None)
    assert wrong.reason == "a game that came in as a record was reopened"
