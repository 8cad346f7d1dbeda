"""Games to test with: recorded and random ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from engine.position import Action, Position
from engine.random_play import random_play
from engine.registry import VARIANTS
from notation.annotation import clean_comment
from notation.game import Game, Line, Move
from notation.reader import read
from notation.registry import find_dialect
from notation.writer import write

DATA = Path(__file__).parent / "data"
NAMES = sorted(VARIANTS)
LONGEST = 600
"""Plies of a random game; most games of Katruji end sooner."""

WORDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
    st.sampled_from(
        ["%", "[Event", '"x"]', ";", "(", "{", "1-0", "[%clk 0:00:01]", "\ufeff", "x" * 90]
    ),
)
COMMENTS = (
    st.lists(WORDS, min_size=1, max_size=25)
    .map(lambda words: " ".join(words).replace("}", ""))
    .filter(lambda text: text.strip(" ") != "")
    .map(clean_comment)
)
FEW_COMMENTS = st.lists(COMMENTS, max_size=2).map(tuple)
TAG_VALUES = st.text(
    st.characters(
        exclude_categories=["Cs"], exclude_characters="".join(map(chr, [*range(32), 127]))
    )
)
TAGS = st.dictionaries(
    st.from_regex(r"Own[A-Za-z0-9_]{0,8}", fullmatch=True), TAG_VALUES, max_size=4
)


def records_of(variant: str) -> Path:
    """The file of a variant's recorded games."""
    return DATA / "records" / f"{variant}.pgn"


@cache
def recorded(variant: str) -> tuple[Game, ...]:
    """The parsed recorded games of a variant."""
    with records_of(variant).open("rb") as stream:
        return tuple(verdict.game for verdict in read(stream))


def write_all(games: Iterable[Game]) -> str:
    """The text of these games in order, separated by blank lines."""
    return "\n".join(map(write, games))


def random_actions(variant: str, seed: int, plies: int = LONGEST) -> tuple[list[Action], Position]:
    """A random game from the start: its actions and its final position."""
    position = find_dialect(variant).start({})
    actions = [action for action, _ in random_play(position, Random(seed), plies)]
    return actions, position


@st.composite
def lines(draw: st.DrawFn, position: Position, plies: int, depth: int) -> Line:
    """Random play from `position`, some of it annotated, with variations nested `depth` deep."""
    random = Random(draw(st.integers(0, 2**32)))
    annotated = draw(st.sets(st.integers(0, max(0, plies - 1)), max_size=2 + 2 * depth))
    moves: list[Move] = []
    for index in range(plies):
        legal = position.legal()
        if not legal:
            break
        action = random.choice(legal)
        moves.append(
            draw(annotated_moves(action, position, depth)) if index in annotated else Move(action)
        )
        position.play(action)
    return tuple(moves)


@st.composite
def annotated_moves(draw: st.DrawFn, action: Action, position: Position, depth: int) -> Move:
    """An action with random glyphs, comments and variations."""
    branches = draw(st.lists(st.integers(1, 6), max_size=2)) if depth else []
    return Move(
        action,
        nags=tuple(draw(st.lists(st.integers(0, 255), max_size=3))),
        before=draw(FEW_COMMENTS),
        after=draw(FEW_COMMENTS),
        variations=tuple(draw(lines(position.copy(), plies, depth - 1)) for plies in branches),
    )


@st.composite
def games(draw: st.DrawFn, variant: str) -> Game:
    """Random games, with random tags, comments, glyphs and variations."""
    position = find_dialect(variant).start({})
    moves = draw(lines(position, draw(st.integers(0, 120)), depth=3))
    outcome = position.outcome()
    result = outcome.result if outcome else draw(st.sampled_from(["*", "1-0", "0-1", "1/2-1/2"]))
    comments = () if moves else draw(FEW_COMMENTS)
    return Game(variant, draw(TAGS), moves, result, comments)
