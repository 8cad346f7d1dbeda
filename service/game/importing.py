"""Imported records: how they become a game's state, and the command that imports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import IllegalAction
from engine.phrase import phrase
from engine.position import Action, Position
from engine.side import Side
from notation.agreement import Agreement
from notation.dialect import Dialect, FoundActions
from notation.game import UNKNOWN, Game, Move
from notation.judge import read_claim
from notation.listener import PositionListener
from notation.reader import read_record
from notation.registry import find_dialect
from notation.replay import Replay
from notation.writer import write_heading, write_movetext
from service.errors import BadValue
from service.game.commands import NO_ANNOTATION, Annotation, ImportRecord
from service.game.events import RecordImported
from service.game.values import Played
from service.log.values import Recorded

MAX_TAGS = 100
MOST_ACTIONS = 1 << 15
"""The most coordinate forms of a variant that are cached."""
_actions: dict[str, dict[str, Action]] = {}
MAX_TAG_VALUE = 4000
GAME_TAG = "MovelogGame"
"""The game's id in a record that the service exports."""
HASH_TAG = "RecordHash"
SIGNATURE_TAG = "RecordSignature"
"""What makes an exported record verifiable (`service.verification.record`)."""
RULES_TAG = "Rules"
"""The version of the rules that a game was played under."""
SERVICE_TAGS = frozenset({GAME_TAG, HASH_TAG, SIGNATURE_TAG, RULES_TAG})
"""The tags that the service adds to what it exports.

Of these, an imported record keeps only its Rules, which say what it was played under.
"""


def first_position(variant: str, fen: str | None, tags: Mapping[str, str]) -> Position:
    """The position a game begins in; raises BadFen."""
    return find_dialect(variant).start(tags if fen is None else {**tags, "SetUp": "1", "FEN": fen})


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of a game as a state holds them."""

    position: Position
    plies: int
    played: tuple[Played, ...]
    comments: tuple[str, ...]


def actions_in(event: RecordImported, entry: Recorded) -> Actions:
    """The actions and annotations of an imported record, and the position they lead to."""
    record = read_record(event.text)
    texts = find_dialect(event.variant)
    position = texts.start(record.tags)
    heard = _Heard()
    # It was judged when it was imported: the limit, the end and the tags are correct.
    claimed = read_claim(record.tags, record.result)
    replay = Replay(record, texts, Agreement(), claimed)
    moves, plies = replay.play(record.line, position, heard)
    played = tuple(
        Played(
            move.action,
            coordinate(event.variant, move.action),
            san,
            number,
            Side(side),
            entry.by,
            entry.at,
            _note(move),
            move.variations,
        )
        for move, (number, side, san) in zip(moves, heard.actions, strict=True)
    )
    return Actions(position, plies, played, tuple(record.line.comments))


def replayed_actions(event: RecordImported, entry: Recorded) -> Actions:
    """The actions of an imported record from their coordinate forms, which is all that lists need.

    These were written into the event when the record was judged, so that its text need not be read
    again. Short forms, numbers, annotations and variations are left out. Raises TokenError if an
    action is not legal.
    """
    texts = find_dialect(event.variant)
    position = first_position(event.variant, event.fen, event.tags)
    known = _actions.setdefault(event.variant, {})
    plies = 0
    played = []
    for token in event.actions.split():
        side, number = position.side, position.number
        action = _play_token(known, texts, position, token)
        plies += position.side != side
        played.append(Played(action, token, "", number, Side(side), entry.by, entry.at))
    return Actions(position, plies, tuple(played), ())


def send_positions(event: RecordImported, positions: PositionListener) -> None:
    """Send the positions of an imported record to a listener; raises TokenError."""
    first = first_position(event.variant, event.fen, event.tags)
    play_tokens(event.variant, first, event.actions.split(), positions)


def play_tokens(
    variant: str, position: Position, tokens: Sequence[str], positions: PositionListener
) -> None:
    """Play actions on a position, and send all positions to a listener; raises TokenError."""
    texts = find_dialect(variant)
    positions.begin(variant, position)
    readings = texts.read_tokens(tokens)
    at = 0
    while at < len(tokens):
        found = FoundActions(identities=[])
        texts.play_readings(position, readings, at, len(tokens), found)
        positions.add(found.identities or ())
        at += len(found.actions)
        if at < len(tokens):
            position.play(texts.resolve(position, tokens[at]))
            positions.add([texts.identify(position)])
            at += 1


def _play_token(known: dict[str, Action], texts: Dialect, position: Position, token: str) -> Action:
    """Play the action that a coordinate form denotes; `known` holds those seen before."""
    action = known.get(token)
    if action is not None:
        # A known action with this form that is legal here is the one that is meant.
        with suppress(IllegalAction):
            position.play(action)
            return action
    action = texts.resolve(position, token)
    position.play(action)
    if len(known) < MOST_ACTIONS:
        known[token] = action
    return action


class _Heard:
    """The actions of a record with number, side and short form, as they are played."""

    def __init__(self) -> None:
        self.actions: list[tuple[int, int, str]] = []

    def add_action(self, number: int, side: int, san: str, before: Sequence[str] = ()) -> None:
        self.actions.append((number, side, san))

    def add_actions(self, turns: Sequence[int], sans: Sequence[str]) -> None:
        self.actions += [(turn >> 1, turn & 1, san) for turn, san in zip(turns, sans, strict=True)]

    def add_annotations(self, nags: Sequence[int], after: Sequence[str]) -> None:
        """Do nothing: an action's annotations are in its move."""

    def open_variation(self) -> None:
        """Do nothing: variations are in their move as well."""

    def close_variation(self) -> None:
        """Do nothing: no variation was opened."""


def _note(move: Move) -> Annotation:
    if not (move.nags or move.before or move.after):
        return NO_ANNOTATION
    return Annotation(nags=move.nags, before=move.before, after=move.after)


def players_in(game: Game) -> tuple[str | None, str | None]:
    """The players' names as the record writes them, None if it does not know one."""
    first, second = (game.tags[side] for side in find_dialect(game.variant).variant.sides)
    return read_name(first), read_name(second)


def read_name(name: str) -> str | None:
    """Read a player's name; None for the ways in which records say that it is unknown."""
    return None if name.strip() in ("", UNKNOWN) else name


def check_size(tags: Mapping[str, str]) -> None:
    """Raise BadValue for more tags than a game needs: they are read whenever the game is."""
    if len(tags) > MAX_TAGS:
        raise BadValue("tags", phrase("at most {max_tags} tags", max_tags=MAX_TAGS))
    for name, value in tags.items():
        if len(value) > MAX_TAG_VALUE:
            raise BadValue(
                "tags",
                phrase(
                    "{name}: at most {max_tag_value} characters",
                    name=name,
                    max_tag_value=MAX_TAG_VALUE,
                ),
            )


@lru_cache(maxsize=1 << 15)
def coordinate(variant: str, action: Action) -> str:
    """The coordinate form of an action; cached, since a file repeats the same few thousand."""
    return find_dialect(variant).coordinate(action)


def import_command(
    game: Game, first: str | None, second: str | None, written: str | None = None
) -> ImportRecord:
    """Make the command that imports this record, with its players' ids; raises BadValue.

    The event holds no names, because the log is permanent and a name may have to be erased.
    `written` is the game's movetext as written when the record was judged.
    """
    sides = find_dialect(game.variant).variant.sides
    dropped = SERVICE_TAGS - {RULES_TAG} | set(sides)
    tags = {k: v for k, v in game.tags.items() if k not in dropped}
    check_size(tags)
    nameless = write_heading(game.variant, tags | dict.fromkeys(sides, UNKNOWN))
    return ImportRecord(
        variant=game.variant,
        first=first,
        second=second,
        tags=tags,
        text=f"{nameless}\n{write_movetext(game) if written is None else written}",
        actions=" ".join(coordinate(game.variant, move.action) for move in game.moves),
        result=game.result,
        fen=game.tags.get("FEN"),
    )
