"""Random games with random annotations: their records obey every law of the format."""

from __future__ import annotations

import io
from collections.abc import Iterable
from random import Random

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import Position
from engine.side import Side
from notation.embedded_commands import read_time, split_comment
from notation.game import Game
from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write, write_variation
from service.composition.service import CODEC
from service.game import commands as c
from service.game.annotating import RESERVED, find_reserved
from service.game.begin import find_initial_position
from service.game.commands import Annotation
from service.game.decide import create, decide
from service.game.evolve import fold
from service.game.importing import import_command
from service.game.record import make_record
from service.game.redaction import seen_position
from service.game.state import GameState
from service.game.timekeeping import Moment
from service.game.values import Mode
from service.game.variations import read_variations, write_variations
from service.log.values import Event, Recorded
from service.player.actor import Actor
from tests.games import COMMENTS, NAMES, lines
from tests.service.game.support import ID, NORTH, SCRIBE, SOUTH

NAMED = {"south": "South, A.", "north": "North \\ B."}
FREE_COMMENTS = COMMENTS.filter(lambda text: not find_reserved([text]))
NOTES = st.builds(
    Annotation,
    nags=st.lists(st.integers(0, 255), max_size=3).map(tuple),
    before=st.lists(FREE_COMMENTS, max_size=2).map(tuple),
    after=st.lists(FREE_COMMENTS, max_size=2).map(tuple),
)


class Timed:
    """A challenge of any variant on clocks, between South and North, and its log."""

    def __init__(self, variant: str, random: Random) -> None:
        self.random = random
        self.log: list[Recorded] = []
        self.now = 1_800_000_000_000
        command = c.CreateGame(
            variant=variant,
            mode=Mode.CHALLENGE,
            first="south",
            second="north",
            time_control="40/5400+30:1800+30",
        )
        self.state: GameState | None = None
        self.record(create(command, SOUTH), SOUTH)
        self.do(c.AcceptChallenge(), NORTH)
        self.choose()

    def choose(self) -> None:
        """Make the secret choices, if the game has any."""
        state = self.known
        sealing = find_dialect(state.variant).sealing
        for side in state.choosers:
            assert sealing is not None
            options = sealing.choices(state.position.copy(), side)
            nonce = self.random.randbytes(16).hex()
            choice = self.random.choice(options)
            self.do(c.Choose(side=side, choice=choice, nonce=nonce), (SOUTH, NORTH)[side])

    @property
    def known(self) -> GameState:
        assert self.state is not None
        return self.state

    def do(self, command: c.Command, by: Actor) -> list[Event]:
        made = list(decide(command, self.known, by, Moment(self.now)))
        self.record(made, by)
        return made

    def record(self, made: Iterable[Event], by: Actor) -> None:
        first = len(self.log) + 1
        fresh = [Recorded(v, event, self.now, by.player) for v, event in enumerate(made, first)]
        self.log += fresh
        self.state = fold(ID, fresh, self.state)

    def play(self, plies: int) -> None:
        """Play random actions some seconds apart; then North resigns, if the game still goes on."""
        texts = find_dialect(self.known.variant)
        for _ in range(plies):
            if self.known.to_act is None:
                return
            side = Side(self.known.position.side)
            position = seen_position(self.known, frozenset({side}))
            action = self.random.choice(position.legal())
            self.now += self.random.randrange(20_000)
            token = texts.coordinate(action)
            self.do(c.PlayAction(token=token, received=self.now), (SOUTH, NORTH)[side])
        if self.known.to_act is not None:
            self.do(c.Resign(), NORTH)


def annotate(game: Timed, data: st.DataObject) -> None:
    """Annotate some actions with random notes and variations."""
    state = game.known
    texts = find_dialect(state.variant)
    for ply in sorted(data.draw(st.sets(st.integers(1, state.length), max_size=5))):
        position = _position_before(state, ply)
        branches = data.draw(st.lists(st.integers(1, 6), max_size=2))
        variations = [data.draw(lines(position.copy(), length, depth=2)) for length in branches]
        told = [write_variation(line, texts, position.copy()) for line in variations]
        if find_reserved(told):
            continue
        wish = c.AnnotateAction(ply=ply, annotation=data.draw(NOTES), variations=tuple(told))
        game.do(wish, data.draw(st.sampled_from([SOUTH, NORTH])))
        assert write_variations(game.known).get(ply, ()) == tuple(told)
        assert read_variations(game.known).played[ply - 1].variations == tuple(variations)


def _position_before(state: GameState, ply: int) -> Position:
    position = find_initial_position(state)
    for played in state.played[: ply - 1]:
        position.play(played.action)
    return position


@pytest.mark.slow
@pytest.mark.parametrize("variant", NAMES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_every_law_of_the_format_holds(variant: str, data: st.DataObject) -> None:
    game = Timed(variant, Random(data.draw(st.integers(0, 2**32))))
    game.play(data.draw(st.integers(1, 60)))
    annotate(game, data)
    record = make_record(game.known, NAMED)
    text = write(record)
    read = read_game(text)
    assert read == record
    assert write(read) == text
    check_clocks(game.known, read)
    check_replayed(game)
    check_imported(text, record)


def check_clocks(state: GameState, record: Game) -> None:
    """Each action has exactly the one `%clk` and the one `%emt` of the log."""
    for played, move in zip(state.played, record.moves, strict=True):
        told = [one for text in move.after for one in split_comment(text)[0]]
        times = {one.name: read_time(one.value) for one in told if one.name in RESERVED}
        assert times == {"clk": played.annotation.clock, "emt": played.annotation.elapsed}
        assert sum(one.name in RESERVED for one in told) == 2


def check_replayed(game: Timed) -> None:
    """The stored events fold to the same record."""
    stored = [
        Recorded(e.version, _reread(e.event), e.at, e.by, e.previous, e.hash) for e in game.log
    ]
    again = fold(ID, stored)
    assert again is not None
    assert make_record(again, NAMED) == make_record(game.known, NAMED)


def _reread(event: Event) -> Event:
    """The event as the log returns it, or unchanged if part of it is kept sealed."""
    return event if event.private else CODEC.decode(event.stored_name, CODEC.encode(event))


def check_imported(text: str, record: Game) -> None:
    """The record can be imported, and then its importer may annotate it."""
    command = import_command(read_game(text), "south", "north")
    (event,) = create(command, SCRIBE)
    state = fold(ID, [Recorded(1, event, 1, "scribe")])
    assert state is not None
    again = make_record(state, NAMED)
    assert again.moves == record.moves
    for ply, variations in write_variations(state).items():
        note = state.played[ply - 1].annotation
        # Writing the existing annotations again changes nothing.
        kept = c.AnnotateAction(
            ply=ply,
            annotation=Annotation(nags=note.nags, before=note.before, after=note.after),
            variations=variations,
        )
        assert decide(kept, state, SCRIBE) == ()


@pytest.mark.parametrize("variant", ["kerd", "kerd-draft"])
@pytest.mark.parametrize("seed", range(3))
def test_python_chess_reads_tags_clocks_and_glyphs(variant: str, seed: int) -> None:
    """Another program reads all of a record except the actions, whose game it does not know."""
    game = Timed(variant, Random(seed))
    game.play(30)
    said = Annotation(nags=(1,), before=("so",), after=("a comment of some length " * 8 + "end",))
    game.do(c.AnnotateAction(ply=1, annotation=said, variations=("d4 $6 {or this}",)), SOUTH)
    game.do(c.AnnotateAction(ply=2, annotation=Annotation(nags=(4, 13))), NORTH)
    # python-chess leaves the escapes in a tag's value as they are.
    record = make_record(game.known, {"south": "South, A.", "north": "North"})
    reader = Reader()
    chess.pgn.read_game(io.StringIO(write(record)), Visitor=lambda: reader)
    assert reader.complaints == [f"unsupported variant: {variant}"]
    assert reader.tags == dict(record.tags)
    assert reader.nags == [1, 6, 4, 13]
    notes = [played.annotation for played in game.known.played]
    assert reader.clocks == [(note.clock, note.elapsed) for note in notes]
    assert all(left is not None and used is not None for left, used in reader.clocks)
    assert reader.texts == ["so", said.after[0], "or this"]
    assert reader.ended == record.result


class Reader(chess.pgn.BaseVisitor[None]):
    """What python-chess reads in a record; every action becomes a null move."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.nags: list[int] = []
        self.clocks: list[tuple[int | None, int | None]] = []
        self.texts: list[str] = []
        self.ended = ""
        self.complaints: list[str] = []

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.tags[tagname] = tagvalue

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        return chess.Move.null()

    def visit_nag(self, nag: int) -> None:
        self.nags.append(nag)

    def visit_comment(self, comment: str) -> None:
        node = chess.pgn.Game()
        node.comment = " ".join(comment.split())
        if node.clock() is None:
            self.texts.append(node.comment)
        else:
            self.clocks.append((milliseconds(node.clock()), milliseconds(node.emt())))

    def visit_result(self, result: str) -> None:
        self.ended = result

    def handle_error(self, error: Exception) -> None:
        self.complaints.append(str(error))

    def result(self) -> None:
        """Return nothing; what was read is in the attributes."""


def milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)
