"""A record as written, judged against the rules: every action, the result, the points.

What is judged, in this order: the variant, the starting position, what was agreed, each action,
then `Result` and the final token, `Termination`, the points, and the tags that only one game has.
Missing tags are no error. `Result` may be empty, `?` or have the half `1/2`; `Termination` may be
empty or have capitals, as in the records of other programs (`Time forfeit`). The actions of a
variation are judged like those of the game, from the position before the action that the variation
replaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.errors import UnknownVariant
from engine.outcome import COMMON_TERMINATIONS, Outcome, Termination
from engine.phrase import Phrase, phrase
from engine.position import Position
from engine.side import Side
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.errors import BadAnnotation, BadCommitment, BadFen, RecordError
from notation.game import UNFINISHED, UNKNOWN, Game
from notation.listener import PositionListener
from notation.movetext import Movetext
from notation.record import Record
from notation.registry import find_dialect_titled
from notation.replay import Replay

NORMAL: Final = "normal"
PGN_TERMINATIONS: Final = frozenset({"death", "emergency", NORMAL})
"""PGN's own terminations, which are kept when read; `normal` also fits an end by the rules."""

_TERMINATIONS: Final = frozenset(Termination)
_KNOWN_TERMINATIONS: Final = _TERMINATIONS | PGN_TERMINATIONS
_DRAW: Final = Outcome(None, Termination.AGREEMENT)
_WINNERS: Final = {"1-0": Side.FIRST, "0-1": Side.SECOND, "1/2-1/2": None}


def judge(
    record: Record,
    text: Movetext | None = None,
    *,
    reopened: bool = False,
    positions: PositionListener | None = None,
) -> Game:
    """The game of a record; raises RecordError for the first thing wrong with it.

    With `reopened` it may have no result although the rules have ended it at its last position: an
    arbiter has reopened it, and the wrong action is not retracted yet (Ruling R35). Its lines are
    also added to `text`, if given, as the writer would write them. The listener `positions`, if
    given, receives the game's positions while it is played.
    """
    record = _normalise(record)
    written = _dialect(record)
    try:
        agreement = Agreement.from_tags(written.variant, record.tags)
    except BadAnnotation as why:
        raise _tag_error(record, "syntax", "PlyLimit", str(why)) from why
    position = _start(record, written)
    stated = read_claim(record.tags, record.result) if text is not None else None
    replay = Replay(record, written, agreement, stated, positions)
    moves, plies = replay.play(record.line, position, text)
    _judge_end(record, _End(written, agreement, position, plies), reopened)
    _judge_points(record.tags, written, position)
    try:
        written.check(record.tags)
    except BadCommitment as why:
        raise RecordError(why.code, str(why)) from why
    if text is not None:
        text.add_comments(record.line.comments)
    name = written.variant.name
    tags = {**record.tags, "Variant": name}
    return Game(name, tags, moves, record.result, tuple(record.line.comments))


def read_claim(tags: Mapping[str, str], result: str) -> Outcome | None:
    """The outcome that a record states by its result and `Termination`, None if it states none.

    >>> read_claim({"Termination": "yara"}, "1-0")
    Outcome(winner=<Side.FIRST: 0>, termination=<Termination.YARA: 'yara'>)
    """
    stated = tags.get("Termination")
    if result == UNFINISHED or stated not in _TERMINATIONS:
        return None
    return Outcome(_WINNERS[result], Termination(stated))


def _normalise(record: Record) -> Record:
    """The record with its result and termination spelt as exports spell them."""
    result, termination = record.tags.get("Result"), record.tags.get("Termination")
    tags = dict(record.tags)
    if result in ("", UNKNOWN):
        del tags["Result"]
    elif result == "1/2":
        tags["Result"] = "1/2-1/2"
    if termination is not None and not termination.strip():
        del tags["Termination"]
    elif termination is not None and termination.strip().lower() in _KNOWN_TERMINATIONS:
        tags["Termination"] = termination.strip().lower()
    return record if tags == record.tags else replace(record, tags=tags)


def _dialect(record: Record) -> Dialect:
    name = record.tags.get("Variant")
    if name is None:
        raise RecordError("unknown-variant", "the record has no Variant tag")
    try:
        return find_dialect_titled(name)
    except UnknownVariant as why:
        raise _tag_error(record, "unknown-variant", "Variant", str(why)) from why


def _start(record: Record, written: Dialect) -> Position:
    try:
        return written.start(record.tags)
    except BadFen as why:
        tag = why.field if why.field in record.places else "FEN"
        raise _tag_error(record, why.code, tag, str(why)) from why


def _tag_error(record: Record, code: str, tag: str, reason: str) -> RecordError:
    if tag not in record.places:
        return RecordError(code, reason)
    line, column = record.section.where(record.places[tag])
    return RecordError(code, reason, line=line, column=column)


def _judge_end(record: Record, end: _End, reopened: bool) -> None:
    result = record.result
    tag = record.tags.get("Result", result)
    stated = record.tags.get("Termination")
    outcome = end.outcome()
    if tag != result:
        raise RecordError(
            "wrong-result",
            phrase("the tag says {tag}, the movetext {result}", tag=tag, result=result),
        )
    if outcome is None:
        if stated is not None and not end.allows(stated, result):
            reason = phrase(
                "the game did not end {result} by {stated}", result=result, stated=stated
            )
            raise RecordError("wrong-termination", reason)
        return
    if reopened and result == UNFINISHED and stated is None:
        return
    if result != outcome.result:
        raise RecordError("wrong-result", _contradict(outcome, result))
    if stated not in (None, NORMAL, outcome.termination):
        raise RecordError("wrong-termination", _contradict(outcome, stated))


def _contradict(outcome: Outcome, stated: str) -> Phrase:
    how = phrase(str(outcome.termination))
    return phrase(
        "the game ended {result} by {how}, the record says {stated}",
        result=outcome.result,
        how=how,
        stated=stated,
    )


@dataclass(frozen=True, slots=True)
class _End:
    """The position at the end of a record, and what decides which ends fit it."""

    dialect: Dialect
    agreement: Agreement
    position: Position
    plies: int

    def outcome(self) -> Outcome | None:
        """How the rules or the agreement have ended the game, or None."""
        return self.agreement.outcome(self.position, self.plies)

    def allows(self, stated: str, result: str) -> bool:
        """Whether a record whose game the rules have not ended may state this termination."""
        if stated == Termination.POINTS:
            settled = self.agreement.settle_draw(_DRAW, self.position.points())
            return (settled.termination, settled.result) == (Termination.POINTS, result)
        if stated in self.dialect.variant.terminations:
            claimed = read_claim({"Termination": stated}, result)
            return claimed is not None and self.dialect.accepts(self.position, claimed)
        return stated in PGN_TERMINATIONS or stated in COMMON_TERMINATIONS


def _judge_points(tags: Mapping[str, str], written: Dialect, position: Position) -> None:
    points = position.points()
    if points is None:
        return
    for side, count in zip(written.variant.sides, points, strict=True):
        stated = tags.get(f"{side}Points")
        if stated not in (None, str(count)):
            reason = phrase(
                "{side} has {count} points, the record says {stated}",
                side=side,
                count=count,
                stated=stated,
            )
            raise RecordError("wrong-points", reason)
