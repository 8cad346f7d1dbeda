"""The state of a game is the fold of its events: the effect of each event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.side import Side
from notation.errors import TokenError
from notation.registry import find_dialect
from notation.time_control import parse_time_control
from service.game import events
from service.game.annotation_size import EVENT
from service.game.clock import Clock
from service.game.commands import Annotation
from service.game.evolve import at_ply, fold
from service.game.state import GameState
from service.game.values import (
    Choice,
    ClockSetting,
    Ending,
    GameStatus,
    Mode,
    Retraction,
    Score,
)
from service.log.values import Event, Recorded
from service.player.events import PlayerRenamed
from tests.notation.test_kerd_records import CORNERED, claimed
from tests.service.game.support import ID, QUIET

CREATED = events.GameCreated(
    variant="katruji", rules="1", mode="challenge", first="south", second=None
)
ACCEPTED = events.ChallengeAccepted(player="north")
FIRST = events.ActionPlayed(ply=1, action="c1d1", san="Sd1", nags=(1,), after=("a",), clock=5)
SECOND = events.ActionPlayed(ply=2, action="b8a8", san="Sa8")


def state_after(*made: Event) -> GameState:
    state = fold(ID, [Recorded(n, e, 1000 + n, "by") for n, e in enumerate(made, 1)])
    assert state is not None
    return state


def change(before: list[Event], event: Event) -> dict[str, Any]:
    """The fields that an event changes, other than version and time."""
    old, new = state_after(*before), state_after(*before, event)
    assert (new.version, new.updated_at) == (old.version + 1, old.updated_at + 1)
    names = set(GameState.__dataclass_fields__) - {"version", "updated_at", "position"}
    return {n: getattr(new, n) for n in names if getattr(new, n) != getattr(old, n)}


RUNNING: list[Event] = [CREATED, ACCEPTED]
PLAYED = [*RUNNING, FIRST, SECOND]
ENDED = [*PLAYED, events.GameEnded(result="1-0", termination="resignation")]


def test_no_events_make_no_game() -> None:
    assert fold(ID, []) is None


def test_game_created() -> None:
    state = state_after(CREATED)
    assert (state.id, state.version, state.creator) == (ID, 1, "by")
    assert (state.mode, state.status) == (Mode.CHALLENGE, GameStatus.OFFERED)
    assert (state.seats, state.tags, state.fen) == (("south", None), {}, None)
    assert (state.created_at, state.updated_at) == (1001, 1001)
    assert (state.plies, state.played, state.ending, state.score) == (0, (), None, None)
    other = replace(CREATED, mode="scribe", second="north", fen=QUIET, tags={"Event": "Cup"})
    state = state_after(other)
    assert (state.status, state.to_act) == (GameStatus.RUNNING, Side.FIRST)
    assert (state.fen, state.tags, state.position.number) == (QUIET, {"Event": "Cup"}, 5)


def test_challenge_accepted() -> None:
    assert change([CREATED], ACCEPTED) == {
        "status": GameStatus.RUNNING,
        "seats": ("south", "north"),
    }
    other = replace(CREATED, first=None, second="south")
    assert change([other], ACCEPTED)["seats"] == ("north", "south")
    full = replace(CREATED, second="north")
    assert change([full], ACCEPTED) == {"status": GameStatus.RUNNING}


def test_challenge_expired() -> None:
    assert change([CREATED], events.ChallengeExpired()) == {"status": GameStatus.EXPIRED}


def test_challenge_declined() -> None:
    assert change([CREATED], events.ChallengeDeclined()) == {"status": GameStatus.DECLINED}


def test_challenge_withdrawn() -> None:
    assert change([CREATED], events.ChallengeWithdrawn()) == {"status": GameStatus.WITHDRAWN}


def test_action_played() -> None:
    changed = change(RUNNING, FIRST)
    (played,) = changed.pop("played")
    assert changed == {"plies": 1, "annotation_bytes": 1}
    assert (played.coordinate, played.san, played.by, played.at) == ("c1d1", "Sd1", "by", 1003)
    assert played.annotation == Annotation(nags=(1,), after=("a",), clock=5)
    assert state_after(*RUNNING, FIRST).position.side == Side.SECOND


def test_action_annotated() -> None:
    changed = change(PLAYED, events.ActionAnnotated(ply=1, before=("b",)))
    assert set(changed) == {"played", "annotation_bytes"}
    assert changed["annotation_bytes"] == EVENT + 2
    assert changed["played"][0].annotation == Annotation(before=("b",), clock=5)
    assert changed["played"][1] == state_after(*PLAYED).played[1]


def test_an_annotation_with_variations() -> None:
    whole = events.ActionAnnotatedWhole(ply=1, before=("b",), variations=("1. Pd2",))
    changed = change(PLAYED, whole)
    assert set(changed) == {"played", "annotation_bytes"}
    assert changed["annotation_bytes"] == EVENT + 8
    assert changed["played"][0].annotation == Annotation(before=("b",), clock=5)
    assert changed["played"][0].variations == ("1. Pd2",)
    (played, *_) = change([*PLAYED, whole], events.ActionAnnotated(ply=1))["played"]
    assert played.variations == ("1. Pd2",)
    (played, *_) = change([*PLAYED, whole], events.ActionAnnotatedWhole(ply=1))["played"]
    assert played.variations == ()


def test_annotator_admitted() -> None:
    admitted = events.AnnotatorAdmitted(player="friend")
    assert change(PLAYED, admitted) == {"annotators": ("friend",)}


def test_annotator_withdrawn() -> None:
    admitted = [events.AnnotatorAdmitted(player=name) for name in ("one", "two")]
    withdrawn = events.AnnotatorWithdrawn(player="one")
    assert change([*PLAYED, *admitted], withdrawn) == {"annotators": ("two",)}


def test_draw_offered() -> None:
    assert change(RUNNING, events.DrawOffered(side=1)) == {"draw_offer": Side.SECOND}


def test_draw_declined() -> None:
    offered = [*RUNNING, events.DrawOffered(side=1)]
    assert change(offered, events.DrawDeclined()) == {"draw_offer": None}


def test_retraction_offered() -> None:
    asked = events.RetractionOffered(side=0, to_ply=1)
    assert change(PLAYED, asked) == {"retraction": Retraction(Side.FIRST, 1)}


def test_retraction_declined() -> None:
    asked = [*PLAYED, events.RetractionOffered(side=0, to_ply=1)]
    assert change(asked, events.RetractionDeclined()) == {"retraction": None}


def test_actions_retracted() -> None:
    changed = change(PLAYED, events.ActionsRetracted(to_ply=1))
    assert changed == {"plies": 1, "played": state_after(*RUNNING, FIRST).played}
    after = state_after(*PLAYED, events.ActionsRetracted(to_ply=0))
    assert after.position.key() == state_after(*RUNNING).position.key()


def test_game_ended() -> None:
    offered = [*RUNNING, events.DrawOffered(side=1)]
    assert change(offered, events.GameEnded(result="*", termination="unterminated")) == {
        "status": GameStatus.FINISHED,
        "ending": Ending("*", "unterminated"),
        "ended_at": 1004,
        "ending_version": 4,
        "draw_offer": None,
    }


def test_game_begun() -> None:
    prepared = replace(CREATED, mode="tournament", second="north")
    assert state_after(prepared).status is GameStatus.PREPARED
    assert change([prepared], events.GameBegun()) == {"status": GameStatus.RUNNING}


def test_result_corrected() -> None:
    corrected = events.ResultCorrected(result="0-1", termination="forfeit", reason="why")
    assert change(ENDED, corrected) == {
        "ending": Ending("0-1", "forfeit"),
        "ending_version": len(ENDED) + 1,
        "earlier_endings": {Ending("1-0", "resignation")},
    }
    reopened = state_after(*ENDED, corrected, events.GameReopened(reason="why"))
    assert reopened.earlier_endings == frozenset()


def test_game_reopened() -> None:
    scored = events.GameScored(result="1-0", termination="resignation", points=(1, 2))
    assert change([*ENDED, scored], events.GameReopened(reason="why")) == {
        "status": GameStatus.RUNNING,
        "ending": None,
        "ended_at": None,
        "ending_version": 0,
        "score": None,
        "reopened": len(ENDED) + 2,
    }
    unchosen = [*CHOOSING, events.GameEnded(result="1-0", termination="forfeit")]
    assert change(unchosen, events.GameReopened(reason="why"))["status"] is GameStatus.CHOOSING


def test_game_scored() -> None:
    scored = events.GameScored(result="1-0", termination="resignation", points=(1, 2))
    expected = {"score": Score(Ending("1-0", "resignation"), (1, 2))}
    assert change(ENDED, scored) == expected
    pointless = replace(scored, points=None)
    assert change(ENDED, pointless) == {"score": Score(Ending("1-0", "resignation"), None)}


IMPORTED = events.RecordImported(
    variant="katruji",
    rules="1",
    first="south",
    second=None,
    tags={"Event": "Cup", "Termination": "resignation", "SetUp": "1", "FEN": QUIET},
    text=(
        f'[Event "Cup"]\n[Result "0-1"]\n[Variant "katruji"]\n[FEN "{QUIET}"]\n[SetUp "1"]\n\n'
        "5. Kyan {why} Sd1 $1 5... Sa8 0-1\n"
    ),
    actions="Kyan c1d1 b8a8",
    result="0-1",
    fen=QUIET,
)


def test_record_imported() -> None:
    state = state_after(IMPORTED)
    assert (state.mode, state.status, state.to_act) == (Mode.IMPORT, GameStatus.FINISHED, None)
    assert state.ending == Ending("0-1", "resignation")
    assert [played.san for played in state.played] == ["Kyan", "Sd1", "Sa8"]
    assert [played.annotation for played in state.played] == [
        Annotation(after=("why",)),
        Annotation(nags=(1,)),
        Annotation(),
    ]
    assert (state.plies, state.seats, state.creator) == (2, ("south", None), "by")
    other = replace(IMPORTED, tags={})
    assert state_after(other).ending == Ending("0-1", None)


def test_a_claimed_mate_of_an_imported_record_has_its_sign() -> None:
    """The record says so too (R32)."""
    event = events.RecordImported(
        variant="kerd",
        rules="1",
        first=None,
        second=None,
        tags={"Termination": "mate", "SetUp": "1", "FEN": CORNERED},
        text=claimed("0-1", "mate"),
        actions="d9c11",
        result="0-1",
        fen=CORNERED,
    )
    assert [played.san for played in state_after(event).played] == ["Hc11#"]


def test_an_event_that_begins_no_game_is_refused() -> None:
    with pytest.raises(ValueError, match="challenge-accepted/1 cannot begin a game"):
        state_after(ACCEPTED)


@pytest.mark.parametrize("event", [PlayerRenamed(), CREATED])
def test_an_event_without_effect_on_a_game_is_refused(event: Event) -> None:
    with pytest.raises(TypeError, match="is not an event after a game's first"):
        state_after(CREATED, event)


CHOOSING: list[Event] = [
    replace(CREATED, variant="kerd", infiltrators="sealed"),
    ACCEPTED,
]
SEALED = events.ChoiceSealed(side=1, commitment="c" * 64, choice="d1", nonce="ab" * 16)


def test_choice_sealed() -> None:
    assert state_after(*CHOOSING).status is GameStatus.CHOOSING
    choice = Choice("c" * 64, "d1", "ab" * 16)
    assert change(CHOOSING, SEALED) == {"choices": (None, choice)}
    assert "?/d1" in find_dialect("kerd").write_fen(state_after(*CHOOSING, SEALED).position)
    # A choice that cannot be opened is unknown; everything else is as usual.
    shut = replace(SEALED, side=0, choice=None, nonce=None)
    both = change([*CHOOSING, SEALED], shut)
    assert both == {"choices": (Choice("c" * 64, None, None), choice), "status": GameStatus.RUNNING}
    assert "?/d1" in find_dialect("kerd").write_fen(state_after(*CHOOSING, SEALED, shut).position)


def test_choice_disclosed() -> None:
    told = events.ChoiceDisclosed(side=1, choice="d1", nonce="ab" * 16)
    assert change([*CHOOSING, SEALED], told) == {"disclosed": frozenset({Side.SECOND})}


def test_an_event_that_does_not_fit_tells_no_secret() -> None:
    fen = find_dialect("kerd").write_fen(find_dialect("kerd").start({})).replace("?/? 0", "?/? 1")
    first = replace(SEALED, side=0, choice="f11")
    played = events.ActionPlayed(ply=1, action="R:e9", san="R:e9")
    begun = replace(CREATED, variant="kerd", infiltrators="sealed", fen=fen)
    with pytest.raises(TokenError) as error:
        state_after(begun, ACCEPTED, SEALED, first, played)
    # Several possible reveals are near; nothing shows that only one of them is legal.
    assert len([near for near in error.value.nearest if near.startswith("R:")]) > 1


AGREED = events.TimeControlAgreed(control="60+1")
TIMED = [
    events.TimedActionPlayed(
        ply=ply, action=action, san=san, received=1000, compensation=0, used=0, left=60_000
    )
    for ply, action, san in ((1, "c1d1", "Sd1"), (2, "b8a8", "Sa8"))
]
ON_CLOCKS = [CREATED, AGREED, ACCEPTED, *TIMED]


def test_time_control_agreed() -> None:
    clock = Clock.set_up(parse_time_control("60+1"))
    assert change([CREATED], AGREED) == {"clock": clock}
    assert state_after(CREATED, AGREED, ACCEPTED).clock == clock


def test_clocks_set() -> None:
    setting = events.ClocksSet(first=5_000, second=7_000, reason="late")
    changed = change(ON_CLOCKS, setting)
    assert changed.keys() == {"clock", "clock_settings"}
    assert [side.left for side in changed["clock"].sides] == [5_000, 7_000]
    assert (changed["clock"].running, changed["clock"].since) == (Side.FIRST, 1006)
    assert changed["clock_settings"] == (ClockSetting(2, (5_000, 7_000)),)


def test_outage_credited() -> None:
    credit = events.OutageCredited(side=0, begun=1000, ended=9000, credited=7_995)
    (clock,) = change(ON_CLOCKS, credit).values()
    assert (clock.credit, clock.credited_to) == (7_995, 9000)


@pytest.mark.parametrize("event", events.EVENTS.values(), ids=lambda event: event.stored_name)
def test_every_event_has_a_test(event: type[Event]) -> None:
    name = event.stored_name.partition("/")[0].replace("-", "_")
    assert f"test_{name}" in globals()


def test_a_game_at_an_earlier_ply() -> None:
    state = state_after(*PLAYED)
    earlier = at_ply(state, 1)
    assert earlier.played == state.played[:1]
    assert earlier.position.key() == state_after(*RUNNING, FIRST).position.key()
    assert earlier.plies == 1
    assert at_ply(state, 2).position.key() == state.position.key()
    for ply in (-1, 3):
        with pytest.raises(ValueError, match="the game has 2 actions"):
            at_ply(state, ply)


def test_who_sits_where() -> None:
    state = state_after(*RUNNING)
    assert [state.side_of(p) for p in ("south", "north", "by")] == [Side.FIRST, Side.SECOND, None]
    both = state_after(replace(CREATED, mode="scribe", second="south"))
    assert both.side_of("south") is None
