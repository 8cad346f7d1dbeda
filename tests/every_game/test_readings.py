"""The kernels' readings of rows of tokens, against `resolve` and `san` for each token."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import Action, Position, count_turns
from engine.random_play import random_play
from notation.agreement import Agreement
from notation.dialect import Dialect, FoundActions
from notation.errors import RecordError
from notation.game import Line
from notation.movetext import Movetext
from notation.record import Record, read_records
from notation.registry import find_dialect
from notation.replay import Replay
from notation.section import split_sections
from notation.squares import disambiguate_origin
from notation.writer import write
from tests.games import NAMES, games

SEEDS = st.integers(0, 2**32)
FASTER = [
    name for name in NAMES if type(find_dialect(name)).play_readings is not Dialect.play_readings
]
"""The variants whose dialects read rows of tokens; the others resolve each token by itself."""
every_variant = pytest.mark.parametrize("variant", NAMES)
every_reader = pytest.mark.parametrize("variant", FASTER)


def test_the_games_that_come_with_the_service_have_readings() -> None:
    assert set(FASTER) >= {"katruji", "kerak", "kerd", "kerd-draft"}


class OneByOne:
    """A dialect without its own readings, which resolves each token by itself."""

    read_tokens = Dialect.read_tokens
    play_readings = Dialect.play_readings

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> object:
        return getattr(self._dialect, name)


class Positions:
    """Collects the identities of the positions that a replay reports."""

    def __init__(self) -> None:
        self.identities: list[bytes] = []

    def begin(self, variant: str, position: Position) -> None:
        self.identities.append(find_dialect(variant).identify(position))

    def add(self, identities: Sequence[bytes]) -> None:
        self.identities += identities


def play_randomly(dialect: Dialect, seed: int, plies: int) -> Iterator[tuple[Action, Position]]:
    """Yield random actions from the first position, each with the position before it."""
    before = dialect.start({})
    for action, after in random_play(before.copy(), Random(seed), plies):
        yield action, before
        before = after.copy()


def play(dialect: Dialect, tokens: list[str]) -> FoundActions:
    """The actions that readings find for tokens from the first position."""
    found = FoundActions(descriptions=[], turns=[], identities=[])
    readings = dialect.read_tokens(tokens)
    dialect.play_readings(dialect.start({}), readings, 0, len(tokens), found)
    return found


@every_reader
@pytest.mark.parametrize("form", ["san", "coordinate"])
@given(seed=SEEDS)
@settings(max_examples=8, deadline=None)
def test_readings_find_what_the_tokens_mean(variant: str, form: str, seed: int) -> None:
    texts = find_dialect(variant)
    actions, sans, turns, identities, tokens = [], [], [], [], []
    position = texts.start({})
    for action, before in play_randomly(texts, seed, 150):
        actions.append(action)
        sans.append(texts.san(before, action))
        turns.append(count_turns(before))
        tokens.append(sans[-1] if form == "san" else texts.coordinate(action))
        position.play(action)
        identities.append(texts.identify(position))
    found = play(texts, tokens)
    many = len(found.actions)
    assert found.descriptions is not None
    if many < len(actions):
        # Castlings and joint advances in coordinate form are left to `resolve`.
        assert form == "coordinate"
        assert sans[many].startswith("O-O") or "&" in sans[many]
    assert found.actions == actions[:many]
    assert texts.write_sans(found.descriptions) == sans[:many]
    assert found.turns == turns[:many]
    assert found.identities == identities[:many]


@every_reader
def test_a_row_ends_before_what_is_not_legal_or_unclear(variant: str) -> None:
    texts = find_dialect(variant)
    tokens = []
    for action, before in play_randomly(texts, 1, 30):
        tokens.append(texts.san(before, action))
    for wrong in ("", "x", "Zz9", "e55", tokens[0] + tokens[0]):
        assert len(play(texts, [*tokens[:20], wrong, *tokens[20:]]).actions) == 20


@every_reader
def test_a_row_begins_and_ends_where_it_is_to(variant: str) -> None:
    texts = find_dialect(variant)
    tokens, actions = [], []
    for action, before in play_randomly(texts, 2, 12):
        tokens.append(texts.san(before, action))
        actions.append(action)
    readings = texts.read_tokens(tokens)
    position, found = texts.start({}), FoundActions()
    for start, end in ((0, 5), (5, 5), (5, 12), (12, 99)):
        texts.play_readings(position, readings, start, end, found)
    assert found.actions == actions


@every_variant
@given(seed=SEEDS)
@settings(max_examples=6, deadline=None)
def test_as_little_of_an_origin_is_told_as_is_enough(variant: str, seed: int) -> None:
    """SAN disambiguates an action only as far as needed among like pieces with the same target."""
    texts = find_dialect(variant)
    for _, position in play_randomly(texts, seed, 80):
        alike: dict[tuple[str, str], set[str]] = {}
        written = []
        for action in position.legal():
            san, exact = texts.san(position, action), texts.coordinate(action)
            origin, target = split_squares(exact)
            if target and san[0].isupper() and "-" not in san and "&" not in san:
                alike.setdefault((san[0], target), set()).add(origin)
                written.append((san, origin, target))
        for san, origin, target in written:
            told = disambiguate_origin(origin, alike[san[0], target])
            bare = san.rstrip("+#").partition("=")[0].replace("x", "")
            assert bare == san[0] + told + target


def split_squares(exact: str) -> tuple[str, str]:
    """Origin and target of a coordinate form; empty unless it has exactly these two."""
    places = [at for at, letter in enumerate(exact) if letter.islower()]
    if len(places) != 2 or not exact.isalnum():
        return "", ""
    return exact[: places[1]], exact[places[1] :]


def read(text: str) -> Record:
    (record,) = [one for s in split_sections(io.StringIO(text)) for one in read_records(s)]
    assert isinstance(record, Record)
    return record


def replay(dialect: Dialect, record: Record, limit: int | None) -> tuple[object, str, list[bytes]]:
    """Replay a record: its moves and plies or the error, its text, its positions' identities."""
    positions, text = Positions(), Movetext()
    made: tuple[Line, int] | str
    try:
        made = Replay(record, dialect, Agreement(limit), None, positions).play(
            record.line, dialect.start(record.tags), text
        )
    except RecordError as error:
        return f"{error!r} {error.line} {error.column} {error.ply}", "", []
    return made, text.text(record.result), positions.identities


@pytest.mark.slow
@every_variant
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_a_replay_in_rows_is_one_action_after_the_other(variant: str, data: st.DataObject) -> None:
    """Rows replay as single actions do, with comments, glyphs, variations and limits."""
    texts = find_dialect(variant)
    game = data.draw(games(variant))
    text = write(game)
    is_wrong: bool = data.draw(st.booleans())
    if game.moves and is_wrong:
        # Replace one word, often an action.
        words = text.split(" ")
        at = data.draw(st.integers(len(words) // 2, len(words) - 1))
        words[at] = data.draw(st.sampled_from(["e4", "Pd2", "Id1", "--"]))
        text = " ".join(words)
    records = [one for s in split_sections(io.StringIO(text)) for one in read_records(s)]
    limit = data.draw(st.none() | st.integers(1, len(game.moves) + 1))
    for record in records:
        if isinstance(record, Record):
            one_by_one = OneByOne(texts)
            assert replay(texts, record, limit) == replay(one_by_one, record, limit)  # type: ignore[arg-type]
