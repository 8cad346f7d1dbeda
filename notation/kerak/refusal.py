"""Why a readable token fits no legal action of Kerak."""

from __future__ import annotations

from engine.kerak import KERAK
from engine.kerak.board import BOARD, HOME, SPACES
from engine.kerak.combat import Combat, combat
from engine.kerak.kernel import Position as Kerak
from engine.kerak.pieces import kind_of, piece
from engine.phrase import phrase
from notation.kerak.token import MoveSyntax, PassSyntax, PlacementSyntax, Syntax


def refused_capture(kerak: Kerak, syntax: Syntax) -> Combat | None:
    """The breakdown of the capture that a token means, None if it means none.

    Where several pieces may be meant, it is the capture that came nearest to success.
    """
    if kerak.building or not isinstance(syntax, MoveSyntax) or not kerak.piece_at(syntax.target):
        return None
    attempts = [combat(kerak, origin, syntax.target) for origin in _origins(kerak, syntax)]
    return max(attempts, key=_margin, default=None)


def explain_refusal(kerak: Kerak, syntax: Syntax) -> str:
    """Why no legal action fits a token that means no capture, as part of a sentence."""
    side = phrase(KERAK.sides[kerak.side])
    if isinstance(syntax, PlacementSyntax):
        return _explain_refused_placement(kerak, syntax)
    if kerak.building:
        return phrase("{side} has pieces to place first", side=side)
    if isinstance(syntax, PassSyntax):
        return phrase("{side} has a legal move and may not pass", side=side)
    known = {
        "piece": phrase(syntax.kind.title if syntax.kind else "piece"),
        "side": side,
        "start": phrase(" on {origin}", origin=syntax.origin) if syntax.origin else "",
    }
    if _origins(kerak, syntax):
        target = BOARD.names[syntax.target]
        return phrase("no {piece} of {side}'s{start} can go to {target}", target=target, **known)
    return phrase("there is no {piece} of {side}'s{start}", **known)


def _origins(kerak: Kerak, syntax: MoveSyntax) -> list[int]:
    """The spaces of the mover's pieces that fit the token."""
    return [
        space
        for space in range(SPACES)
        if (one := kerak.piece_at(space))
        and one == piece(kerak.side, syntax.kind or kind_of(one))
        and syntax.origin in BOARD.names[space]
    ]


def _margin(refused: Combat) -> int:
    """The attack less the defence of a refused capture; very low if no path leads there."""
    if refused.best is None:
        return -1000
    return refused.best.attack - refused.best.defence


def _explain_refused_placement(kerak: Kerak, syntax: PlacementSyntax) -> str:
    side = phrase(KERAK.sides[kerak.side])
    if not kerak.building:
        return phrase("all pieces have been placed")
    if not kerak.in_hand(piece(kerak.side, syntax.kind)):
        kind = phrase(syntax.kind.title)
        return phrase("{side} has no {piece} left to place", side=side, piece=kind)
    space = BOARD.names[syntax.space]
    if not HOME[kerak.side] >> syntax.space & 1:
        return phrase("{space} is not in {side}'s own three rows", space=space, side=side)
    return phrase("{space} is taken", space=space)
