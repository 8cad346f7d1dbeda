"""Random commands by random actors: a game always equals the fold of its log."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.side import Side
from notation.errors import NotationError
from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write
from service.composition.service import CODEC
from service.errors import ServiceError
from service.game import commands as c
from service.game.commands import Annotation, Command
from service.game.evolve import fold
from service.game.permissions import SCORER
from service.game.record import write_record
from service.game.state import GameState
from service.game.values import GameStatus, Mode
from service.log.values import Recorded
from service.player.actor import Actor
from tests.service.game.support import (
    CREATORS,
    DECLARED,
    ID,
    MODES,
    NORTH,
    QUIET,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    YARA,
    YEMUBUS,
    Play,
    new_game,
)

ACTORS = [SOUTH, NORTH, SCRIBE, STRANGER, REFEREE, Actor(SCORER), Actor("south")]
SIDES = st.sampled_from([None, *Side])
PLIES = st.integers(-1, 4)
TEXTS = st.text(max_size=8)
NOTES = st.builds(
    Annotation,
    nags=st.lists(st.integers(-1, 257), max_size=2).map(tuple),
    before=st.lists(TEXTS, max_size=1).map(tuple),
    after=st.lists(TEXTS, max_size=1).map(tuple),
    clock=st.none() | st.integers(-1, 10**11),
)
RESULTS = st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "x"])
HOWS = st.sampled_from(["adjudication", "forfeit", "agreement", "unterminated", "yara", ""])
TOKENS = st.sampled_from(["Kyan", "Alka", "Sd1", "Sa8", "Sc2", "Oxa5", "--", ""]) | TEXTS
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(c.PlayAction, token=TOKENS, annotation=NOTES),
    st.builds(c.AnnotateAction, ply=PLIES, annotation=NOTES),
    *(
        st.builds(kind, side=SIDES)
        for kind in (
            c.OfferDraw,
            c.AcceptDraw,
            c.DeclineDraw,
            c.Resign,
            c.AcceptRetraction,
            c.DeclineRetraction,
        )
    ),
    st.builds(c.OfferRetraction, side=SIDES, plies=PLIES),
    st.builds(c.Retract, plies=PLIES),
    st.builds(c.Adjudicate, result=RESULTS, termination=HOWS),
    st.builds(c.LoseOnTime, side=st.sampled_from(Side)),
    st.builds(c.CloseGame),
    st.builds(c.CorrectResult, result=RESULTS, termination=HOWS, reason=TEXTS),
    st.builds(c.ReopenGame, reason=TEXTS),
    st.builds(
        c.ScoreGame,
        version=st.integers(1, 30),
        result=RESULTS,
        termination=HOWS,
        points=st.sampled_from([None, (1, 2)]),
    ),
    st.sampled_from([c.AcceptChallenge(), c.DeclineChallenge(), c.WithdrawChallenge()]),
)
# Half of the steps are legal actions, so that games get somewhere.
STEPS = st.lists(
    st.tuples(COMMANDS, st.sampled_from(ACTORS)) | st.integers(0, 2**16), min_size=5, max_size=40
)
FENS = st.sampled_from([None, YARA, YEMUBUS.format("1-2"), QUIET, DECLARED])
TAGS = st.sampled_from([{}, {"PlyLimit": "6"}])


def snapshot(state: GameState) -> tuple[object, ...]:
    """A state with its position as a comparable value."""
    names = (name for name in GameState.__dataclass_fields__ if name != "position")
    return (*(getattr(state, name) for name in names), state.position.key())


def random_action(state: GameState, seed: int) -> str:
    """A random legal action, in SAN or in coordinate form."""
    texts, position = find_dialect(state.variant), state.position.copy()
    action = Random(seed).choice(position.legal())
    return texts.san(position, action) if seed % 2 else texts.coordinate(action)


def reread(log: list[Recorded]) -> list[Recorded]:
    """The events as the store returns them."""
    return [
        Recorded(e.version, CODEC.decode(e.event.stored_name, CODEC.encode(e.event)), e.at, e.by)
        for e in log
    ]


@given(mode=st.sampled_from(MODES), fen=FENS, tags=TAGS, steps=STEPS)
def test_a_game_is_what_its_log_says(
    mode: Mode, fen: str | None, tags: dict[str, str], steps: list[tuple[Command, Actor] | int]
) -> None:
    game = Play(new_game(mode, fen=fen, tags=tags), CREATORS[mode])
    for step in steps:
        before, written, seen = game.state, len(game.log), snapshot(game.state)
        if isinstance(step, int):
            if before.to_act is None:
                continue
            step = (c.PlayAction(token=random_action(before, step)), game.mover)
        try:
            made = game.do(*step)
        except (ServiceError, NotationError, EngineError):
            assert game.state is before
            assert len(game.log) == written
        else:
            assert game.state.version == before.version + len(made) == len(game.log)
            if (
                before.status is GameStatus.FINISHED
                and game.state.status is not GameStatus.FINISHED
            ):
                assert isinstance(step[0], c.ReopenGame)
        # No state was changed in place.
        assert snapshot(before) == seen
    check_consistent(game)


def check_consistent(game: Play) -> None:
    """The state equals a replay of the stored log, and its parts agree with each other."""
    state = game.state
    replayed = fold(ID, reread(game.log))
    assert replayed is not None
    assert snapshot(replayed) == snapshot(state)
    assert [entry.version for entry in game.log] == list(range(1, len(game.log) + 1))
    assert (state.ending is not None) == (state.status is GameStatus.FINISHED)
    over = state.status is GameStatus.FINISHED
    assert state.position.outcome() is None or over or state.decided
    assert not (state.decided and (over or not state.reopened))
    assert (state.ending_version > 0) == over
    assert over or state.score is None
    assert state.plies <= len(state.played)
    if state.status is not GameStatus.RUNNING:
        assert (state.draw_offer, state.retraction, state.to_act) == (None, None, None)
    text = write_record(state, {"south": "S", "north": "N"})
    read = read_game(text, reopened=state.decided)
    assert read.actions == tuple(played.action for played in state.played)
    assert write(read) == text
