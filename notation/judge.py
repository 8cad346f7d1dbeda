"""A record as written, judged against the rules: every action, the result, the points.

What is judged, in this order: the variant, the starting position, what was agreed, each action,
then `Result` and the final token, `Termination`, the points, and the tags that only one game has.
Tags that are missing are not held against a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import UnknownVariant
from engine.outcome import Outcome, Termination
from engine.position import Position
from engine.side import Side
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.errors import BadAnnotation, BadCommitment, BadFen, RecordError, TokenError
from notation.game import UNFINISHED, Game, Move
from notation.record import Record, WrittenMove
from notation.registry import dialect

BOARD: Final = frozenset(
    {
        Termination.MATE,
        Termination.STALEMATE,
        Termination.KING_CAPTURED,
        Termination.CASTLE_CAPTURED,
        Termination.NO_CAPTOR_LEFT,
        Termination.NO_MOVE,
        Termination.YARA,
        Termination.YEMUBUS,
        Termination.ALKA,
    }
)
"""The terminations that only the rules of a game can bring about."""

NORMAL: Final = "normal"
PGN_TERMINATIONS: Final = frozenset({"death", "emergency", NORMAL})
"""PGN's own terminations, kept when read; `normal` fits an end by the rules too."""

_DRAW: Final = Outcome(None, Termination.AGREEMENT)
_WINNERS: Final = {"1-0": Side.FIRST, "0-1": Side.SECOND, "1/2-1/2": None}


def judge(record: Record) -> Game:
    """The game of a record; raises RecordError for the first thing wrong with it."""
    written = _dialect(record)
    try:
        agreement = Agreement.from_tags(written.variant, record.tags)
    except BadAnnotation as why:
        raise _tag_error(record, "syntax", "PlyLimit", str(why)) from why
    replay = _Replay(record, written, agreement)
    for move in record.moves:
        replay.play(move)
    _judge_end(record, replay)
    _judge_points(record.tags, written, replay.position)
    try:
        written.check(record.tags)
    except BadCommitment as why:
        raise RecordError(why.code, str(why)) from why
    name = written.variant.name
    return Game(name, record.tags, tuple(replay.moves), record.result, record.comments)


def claim(tags: Mapping[str, str], result: str) -> Outcome | None:
    """The end that a record states by result and `Termination`, None where it states none.

    >>> claim({"Termination": "yara"}, "1-0")
    Outcome(winner=<Side.FIRST: 0>, termination=<Termination.YARA: 'yara'>)
    """
    stated = tags.get("Termination")
    if result == UNFINISHED or stated not in set(Termination):
        return None
    return Outcome(_WINNERS[result], Termination(stated))


def _dialect(record: Record) -> Dialect:
    name = record.tags.get("Variant")
    if name is None:
        raise RecordError("unknown-variant", "the record has no Variant tag")
    try:
        return dialect(name)
    except UnknownVariant as why:
        raise _tag_error(record, "unknown-variant", "Variant", str(why)) from why


def _tag_error(record: Record, code: str, tag: str, reason: str) -> RecordError:
    if tag not in record.places:
        return RecordError(code, reason)
    line, column = record.section.where(record.places[tag])
    return RecordError(code, reason, line=line, column=column)


class _Replay:
    """The actions of a record, played one after the other from its start."""

    def __init__(self, record: Record, written: Dialect, agreement: Agreement) -> None:
        self._record = record
        self._dialect = written
        self._agreement = agreement
        self.moves: list[Move] = []
        self.plies = 0
        try:
            self.position = written.start(record.tags)
        except BadFen as why:
            tag = why.field if why.field in record.places else "FEN"
            raise _tag_error(record, why.code, tag, str(why)) from why

    def play(self, move: WrittenMove) -> None:
        """Play an action; raises RecordError."""
        position = self.position
        if self.plies == self._agreement.ply_limit:
            raise self._error(move, "after-the-end", "the agreed limit of plies had been reached")
        try:
            action = self._dialect.resolve(position, move.token)
        except TokenError as why:
            raise self._error(move, why.code, f"{why.token}: {why.reason}", why.nearest) from why
        side = position.side
        position.play(action)
        self.plies += position.side != side
        self.moves.append(Move(action, move.nags, move.before, move.after))

    def outcome(self) -> Outcome | None:
        """How the rules and the agreement have ended the game."""
        return self._agreement.outcome(self.position, self.plies)

    def allows(self, stated: str, result: str) -> bool:
        """Whether a game that goes on here may have this termination and result."""
        if stated == Termination.POINTS:
            settled = self._agreement.settled(_DRAW, self.position.points())
            return (settled.termination, settled.result) == (Termination.POINTS, result)
        claimed = claim({"Termination": stated}, result)
        if stated in BOARD:
            return claimed is not None and self._dialect.accepts(self.position, claimed)
        return stated in PGN_TERMINATIONS or stated in set(Termination)

    def _error(
        self, move: WrittenMove, code: str, reason: str, nearest: tuple[str, ...] = ()
    ) -> RecordError:
        line, column = self._record.section.where(move.offset)
        ply = len(self.moves) + 1
        return RecordError(
            code, reason, line=line, column=column, ply=ply, token=move.token, nearest=nearest
        )


def _judge_end(record: Record, replay: _Replay) -> None:
    result = record.result
    tag = record.tags.get("Result", result)
    stated = record.tags.get("Termination")
    outcome = replay.outcome()
    if tag != result:
        raise RecordError("wrong-result", f"the tag says {tag}, the movetext {result}")
    if outcome is None:
        if stated is not None and not replay.allows(stated, result):
            reason = f"the game did not end {result} by {stated}"
            raise RecordError("wrong-termination", reason)
        return
    ended = f"the game ended {outcome.result} by {outcome.termination}"
    if result != outcome.result:
        raise RecordError("wrong-result", f"{ended}, the record says {result}")
    if stated not in (None, NORMAL, outcome.termination):
        raise RecordError("wrong-termination", f"{ended}, the record says {stated}")


def _judge_points(tags: Mapping[str, str], written: Dialect, position: Position) -> None:
    points = position.points()
    if points is None:
        return
    for side, count in zip(written.variant.sides, points, strict=True):
        stated = tags.get(f"{side}Points")
        if stated not in (None, str(count)):
            reason = f"{side} has {count} points, the record says {stated}"
            raise RecordError("wrong-points", reason)
