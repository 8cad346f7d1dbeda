"""Which legal actions of Kerd a token may mean, and why none does."""

from __future__ import annotations

from engine.kerd.action import Deed, castle, execute, origin, pawn, promotion, reveal, target
from engine.kerd.board import COMMANDER, KIND, KING, KING_CASTLED, KING_HOME, PAWN
from engine.kerd.kernel import Position as Kerd
from engine.phrase import phrase
from engine.position import Action
from notation.kerd.names import NAMES, SPOKEN, SQUARE_OF
from notation.kerd.token import Castling, Joint, MoveSyntax, RevealOrExecution, Syntax


def find_fitting_actions(kerd: Kerd, syntax: Syntax) -> list[Action]:
    """The legal actions that a token may mean."""
    if isinstance(syntax, MoveSyntax):
        return _find_fitting_steps(kerd, syntax)
    if isinstance(syntax, Joint):
        return [
            action
            for action in kerd.legal_to(COMMANDER, syntax.commander.target, joint=True)
            if _is_joint(action, syntax)
        ]
    if isinstance(syntax, Castling):
        n = 2 * kerd.side + syntax.long
        action = castle(KING_HOME[n], KING_CASTLED[n])
    elif syntax.deed is Deed.REVEAL:
        action = reveal(syntax.square)
    else:
        action = execute(syntax.square)
    return [action] if kerd.is_legal(action) else []


def _find_fitting_steps(kerd: Kerd, step: MoveSyntax) -> list[Action]:
    kind = step.kind or kerd.piece_at(SQUARE_OF[step.origin]) & KIND
    fits = kerd.legal_to(kind, step.target)
    if step.origin:
        fits = [action for action in fits if _matches_origin(origin(action), step.origin)]
    # A single Pawn's move brings nothing back, even where it could.
    if step.promotion or (kind == PAWN and len(fits) > 1):
        fits = [action for action in fits if promotion(action) == step.promotion]
    if kind == KING and step.origin in SQUARE_OF:
        castling = castle(SQUARE_OF[step.origin], step.target)
        if kerd.is_legal(castling):
            fits.append(castling)
    return fits


def _is_joint(action: Action, joint: Joint) -> bool:
    beside = pawn(action)
    return (
        beside is not None
        and beside + target(action) - origin(action) == joint.pawn.target
        and _matches_origin(origin(action), joint.commander.origin)
        and _matches_origin(beside, joint.pawn.origin)
        and promotion(action) == joint.pawn.promotion
    )


def _matches_origin(at: int, said: str) -> bool:
    """Whether a square fits what a token says of it: nothing, its file, its rank, or both."""
    name = NAMES[at]
    return said in ("", name[0], name[1:], name)


def explain_refusal(kerd: Kerd, syntax: Syntax) -> str:
    """Why no legal action fits."""
    if isinstance(syntax, Castling):
        if syntax.long:
            return phrase("no castling to the long side here")
        return phrase("no castling to the short side here")
    if isinstance(syntax, RevealOrExecution):
        square = NAMES[syntax.square]
        if syntax.deed is Deed.REVEAL:
            return phrase("nothing can be revealed on {square}", square=square)
        return phrase("nothing can be executed on {square}", square=square)
    if isinstance(syntax, Joint):
        return phrase(
            "no Commander and Pawn can advance together to {commander} and {pawn}",
            commander=NAMES[syntax.commander.target],
            pawn=NAMES[syntax.pawn.target],
        )
    kind = syntax.kind
    if not kind:
        kind = kerd.piece_at(SQUARE_OF[syntax.origin]) & KIND
    back = syntax.promotion and phrase(SPOKEN[syntax.promotion])
    return phrase(
        "no {piece}{start} of the side to move can go to {target}{making}",
        piece=phrase(SPOKEN.get(kind, "piece")),
        start=phrase(" on {origin}", origin=syntax.origin) if syntax.origin else "",
        target=NAMES[syntax.target],
        making=phrase(" and bring back a {piece}", piece=back) if back else "",
    )
