"""A capture explained: from where, with what strength on each side, and why it fails.

The sums are the kernel's own (`engine.kerak.field`, Capturing); this module says who is in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import Final

from engine.kerak.action import move
from engine.kerak.board import BOARD, OFF, SPACES, STEP_AHEAD, STEP_TO
from engine.kerak.field import attack_supporters, castle_support, defence_supporters, takes
from engine.kerak.kernel import Position
from engine.kerak.pieces import CASTLE_SUPPORT, MOVES, STRENGTH, PieceKind, kind_of, piece, side_of
from engine.kerak.validity import SIDES
from engine.phrase import Phrase, phrase

SUM: Final = "{sum} + {one}"
CONTRIBUTION: Final = "{piece} {space} {strength}"
"""Forms that are the same in every language."""


class CombatVerdict(StrEnum):
    """The verdict on a capture; every member but SUCCEEDS is a reason why it fails."""

    SUCCEEDS = "succeeds"
    NO_PIECE = "no piece"
    EMPTY_TARGET = "empty target"
    OWN_PIECE = "own piece"
    IMMOBILE = "immobile"
    NO_CAPTOR = "no captor"
    NO_PATH = "no path"
    TOO_WEAK = "too weak"
    GAME_OVER = "game over"
    NOT_TO_MOVE = "not to move"


@dataclass(frozen=True, slots=True)
class StrengthContribution:
    """The strength one piece gives."""

    piece: str
    space: str
    strength: int

    def describe(self) -> Phrase:
        """The piece, its space and strength: `Infantry d4 1`."""
        piece = phrase(self.piece)
        return phrase(CONTRIBUTION, piece=piece, space=self.space, strength=self.strength)


@dataclass(frozen=True, slots=True)
class Assault:
    """A capture from one approach (Ruling R13).

    `attackers` begins with the attacking piece (on the space it started from), `defenders` with
    the target; supporters follow in the order of their spaces, a Castle's support comes last.
    `succeeds` is true, whatever the sums, where an Archer falls to Cavalry, Knight or Hero, and
    false where these attack a Castle.
    """

    approach: str
    attackers: tuple[StrengthContribution, ...]
    defenders: tuple[StrengthContribution, ...]
    succeeds: bool

    @property
    def attack(self) -> int:
        """The strength of the attack."""
        return sum(one.strength for one in self.attackers)

    @property
    def defence(self) -> int:
        """The strength of the defence."""
        return sum(one.strength for one in self.defenders)

    def describe(self) -> Phrase:
        """Both sums as part of a sentence."""
        return phrase(
            "from {approach}: attack {attack} ({attackers}) {sign} defence {defence} ({defenders})",
            approach=self.approach,
            attack=self.attack,
            attackers=_describe_sum(self.attackers),
            sign=">=" if self.attack >= self.defence else "<",
            defence=self.defence,
            defenders=_describe_sum(self.defenders),
        )


def _describe_sum(contributions: Sequence[StrengthContribution]) -> Phrase:
    def add(sum: Phrase, one: Phrase) -> Phrase:
        return phrase(SUM, sum=sum, one=one)

    return reduce(add, [one.describe() for one in contributions])


@dataclass(frozen=True, slots=True)
class Combat:
    """A capture, legal or not.

    `assaults` has one entry for each approach that a path leads to. The best comes first: the one
    with the highest attack less defence, and among equals the first by name. It is empty where no
    piece attacks another or no path leads to the target. `reason` is the verdict as part of a
    sentence.
    """

    origin: str
    target: str
    verdict: CombatVerdict
    reason: Phrase
    assaults: tuple[Assault, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether the capture is a legal action."""
        return self.verdict is CombatVerdict.SUCCEEDS

    @property
    def best(self) -> Assault | None:
        """The assault considered best, None where there is none."""
        return self.assaults[0] if self.assaults else None


def combat(position: Position, origin: int, target: int) -> Combat:
    """The breakdown of the capture on `target` by the piece on `origin` (spaces by index).

    Raises IndexError for a space that the board does not have.
    """
    obstacle = _find_obstacle(position, origin, target)
    assaults: tuple[Assault, ...] = ()
    if obstacle is None or obstacle[0] is CombatVerdict.NO_CAPTOR:
        assaults = _list_assaults(position, origin, target)
    verdict, reason = obstacle or _judge_assaults(position, origin, target, assaults)
    return Combat(BOARD.names[origin], BOARD.names[target], verdict, reason, assaults)


def list_captures(position: Position) -> list[Combat]:
    """The captures of the side to move that a path leads to, including those that fail.

    They are ordered by origin, then by target. There are none while pieces are placed, and none
    once the game is over.
    """
    if position.building or position.outcome() is not None:
        return []
    return [
        combat(position, origin, target)
        for origin in range(SPACES)
        if (one := position.piece_at(origin)) and side_of(one) == position.side
        for target in sorted({target for _, target in _walk_paths(position, origin)})
        if side_of(position.piece_at(target)) != position.side
    ]


def _find_obstacle(
    position: Position, origin: int, target: int
) -> tuple[CombatVerdict, Phrase] | None:
    """The reason against the capture that does not depend on strength, None if there is none."""
    attacker, victim = position.piece_at(origin), position.piece_at(target)
    at = BOARD.names[target]
    if not attacker:
        reason = phrase("no piece stands on {space}", space=BOARD.names[origin])
        return CombatVerdict.NO_PIECE, reason
    if not victim:
        reason = phrase("there is nothing to capture on {space}", space=at)
        return CombatVerdict.EMPTY_TARGET, reason
    if side_of(attacker) is side_of(victim):
        reason = phrase("{space} holds a piece of the same side", space=at)
        return CombatVerdict.OWN_PIECE, reason
    kind = kind_of(attacker)
    if kind is PieceKind.CASTLE:
        return CombatVerdict.IMMOBILE, phrase("a Castle never moves")
    if kind_of(victim) is PieceKind.CASTLE and kind not in (PieceKind.INFANTRY, PieceKind.ARCHER):
        return CombatVerdict.NO_CAPTOR, phrase(
            "{piece} cannot capture a Castle, only Infantry and Archers can",
            piece=phrase(kind.title),
        )
    return None


def _judge_assaults(
    position: Position, origin: int, target: int, assaults: Sequence[Assault]
) -> tuple[CombatVerdict, Phrase]:
    """The verdict on a capture that nothing but path, strength and turn can forbid."""
    if not assaults:
        return CombatVerdict.NO_PATH, _explain_no_path(position, origin, target)
    won = [assault for assault in assaults if assault.succeeds]
    if not won:
        return CombatVerdict.TOO_WEAK, assaults[0].describe()
    if position.is_legal(move(origin, target)):
        return CombatVerdict.SUCCEEDS, _explain_success(position, origin, won[0])
    if position.outcome() is not None:
        return CombatVerdict.GAME_OVER, phrase("the game is over")
    side = phrase(SIDES[position.side])
    return CombatVerdict.NOT_TO_MOVE, phrase("it is {side}'s turn", side=side)


def _explain_no_path(position: Position, origin: int, target: int) -> Phrase:
    steps = MOVES[kind_of(position.piece_at(origin))]
    ends = {"origin": BOARD.names[origin], "target": BOARD.names[target]}
    if steps == 1:
        return phrase("no path of at most 1 step leads from {origin} to {target}", **ends)
    return phrase(
        "no path of at most {steps} steps leads from {origin} to {target}", steps=steps, **ends
    )


def _explain_success(position: Position, origin: int, assault: Assault) -> Phrase:
    if assault.attack >= assault.defence:
        return assault.describe()
    captor = kind_of(position.piece_at(origin)).title
    return phrase("{piece} always captures Archers", piece=phrase(captor))


def _list_assaults(position: Position, origin: int, target: int) -> tuple[Assault, ...]:
    assaults = [
        _weigh_assault(position, origin, at, target)
        for at in _find_approaches(position, origin, target)
    ]
    # stable: the approaches come in the order of their names
    return tuple(sorted(assaults, key=lambda one: one.defence - one.attack))


def _find_approaches(position: Position, origin: int, target: int) -> list[int]:
    """The spaces from which a path of the piece on `origin` enters `target`, ascending."""
    return sorted({at for at, entered in _walk_paths(position, origin) if entered == target})


def _walk_paths(position: Position, origin: int) -> Iterator[tuple[int, int]]:
    """The paths of the piece on `origin` to other pieces: the last space and the piece's space.

    A pair comes once for each path.
    """

    def walk(approach: int, steps: Sequence[int], left: int) -> Iterator[tuple[int, int]]:
        for step in steps:
            space = STEP_TO[step]
            if space == OFF:
                continue
            if position.piece_at(space):
                yield approach, space
            elif left > 1:
                yield from walk(space, STEP_AHEAD[3 * step : 3 * step + 3], left - 1)

    most = MOVES[kind_of(position.piece_at(origin))]
    if most:
        yield from walk(origin, range(6 * origin, 6 * origin + 6), most)


def _weigh_assault(position: Position, origin: int, approach: int, target: int) -> Assault:
    attackers = attack_supporters(position, origin, target)
    defenders = defence_supporters(position, approach, target)
    return Assault(
        BOARD.names[approach],
        _list_contributions(position, origin, attackers, approach),
        _list_contributions(position, target, defenders, target),
        takes(position, origin, approach, target),
    )


def _list_contributions(
    position: Position, space: int, supporters: int, castle_near: int
) -> tuple[StrengthContribution, ...]:
    """The piece on `space`, its supporters (a set), and its Castle if next to `castle_near`."""
    spaces = [space] + [at for at in range(SPACES) if supporters >> at & 1]
    given = [_describe_piece(position, at) for at in spaces]
    one = position.piece_at(space)
    if castle_support(position, one, castle_near):
        castle = piece(side_of(one), PieceKind.CASTLE)
        at = next(at for at in range(SPACES) if position.piece_at(at) == castle)
        given.append(StrengthContribution(PieceKind.CASTLE.title, BOARD.names[at], CASTLE_SUPPORT))
    return tuple(given)


def _describe_piece(position: Position, space: int) -> StrengthContribution:
    kind = kind_of(position.piece_at(space))
    return StrengthContribution(kind.title, BOARD.names[space], STRENGTH[kind])
