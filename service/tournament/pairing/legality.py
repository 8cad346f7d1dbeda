"""Whether a round's pairings keep the absolute rules of a Swiss (FIDE handbook C.04.3, C1 to C3).

Many pairings are legal, and which one a program finds depends on its edition of the rules. What is
checked here is only what no edition allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.side import Side
from service.tournament.pairing.board import PairedRound, available, check_boards
from service.tournament.table import EntrantId, Mark, Table


def find_swiss_fault(table: Table, planned_rounds: int, paired: PairedRound) -> str | None:
    """A breach of the rules in round `table.rounds + 1`, in a sentence; None if there is none.

    Raises NotEntered and SeatedTwice.
    """
    round = table.rounds + 1
    check_boards(table, round, paired.boards)
    seated = {id for board in paired.boards for id in (board.first, board.second)}
    there = {entrant.id for entrant in available(table, round)}
    if seated | set(paired.resting) != there or seated & set(paired.resting):
        return f"not everybody who plays in round {round} is paired exactly once"
    if len(paired.resting) != len(there) % 2:
        return "a pairing-allocated bye is only for a player left over from an odd number"
    for entrant in paired.resting:
        if has_won_unplayed(table, entrant):
            return f"{entrant} has had a bye or a forfeit win before"
    met = {
        frozenset((meeting.first, meeting.second))
        for meeting in table.meetings
        if meeting.result is not None and meeting.result.played
    }
    for board in paired.boards:
        if frozenset((board.first, board.second)) in met:
            return f"{board.first} and {board.second} have met before"
        # In the last round, players with more than half the points may both be due the same side.
        due = due_side(table, board.first)
        if due is not None and due is due_side(table, board.second) and round < planned_rounds:
            return f"{board.first} and {board.second} are both due the same side"
    return None


def has_won_unplayed(table: Table, entrant: EntrantId) -> bool:
    """Whether an entrant has had the pairing-allocated bye or has won by a forfeit."""
    if any(bye.entrant == entrant and bye.kind is Mark.PAIRING_BYE for bye in table.byes):
        return True
    return any(
        meeting.result is not None and meeting.result.mark(side) is Mark.FORFEIT_WIN
        for meeting in table.meetings
        for side, id in ((Side.FIRST, meeting.first), (Side.SECOND, meeting.second))
        if id == entrant
    )


def due_side(table: Table, entrant: EntrantId) -> Side | None:
    """The side that an entrant must have next, or None.

    It is due after the other side twice running, or with two games fewer on it. Forfeited games
    count for no side.
    """
    had = [side for _, side in sorted(list_sides(table, entrant))]
    lead = had.count(Side.FIRST) - had.count(Side.SECOND)
    if abs(lead) > 1:
        return Side.SECOND if lead > 0 else Side.FIRST
    if len(had) > 1 and had[-1] is had[-2]:
        return had[-1].other
    return None


def list_sides(table: Table, entrant: EntrantId) -> Sequence[tuple[int, Side]]:
    """The side that an entrant had in each round they played."""
    return [
        (meeting.round, side)
        for meeting in table.meetings
        for side, id in ((Side.FIRST, meeting.first), (Side.SECOND, meeting.second))
        if id == entrant and meeting.result is not None and meeting.result.played
    ]
