"""A round's boards, as pairing produces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from service.tournament.pairing.errors import NotEntered, SeatedTwice, UnfinishedRound
from service.tournament.table import Entrant, EntrantId, Table

SHOWN: Final = 5
"""The most games without a result that are named."""


@dataclass(frozen=True, slots=True)
class PairedBoard:
    """One game to be played: who has the first side, and who the second."""

    first: EntrantId
    second: EntrantId

    @property
    def turned(self) -> PairedBoard:
        """The same two players with sides swapped."""
        return PairedBoard(self.second, self.first)


@dataclass(frozen=True, slots=True)
class PairedRound:
    """All boards of a round, the first board first, and the players without one.

    `resting` is the pairing-allocated bye in a Swiss, the free day in a round robin, and in a
    knockout those who advance without a game.
    """

    boards: tuple[PairedBoard, ...]
    resting: tuple[EntrantId, ...] = ()


def available(table: Table, round: int) -> list[Entrant]:
    """The entrants who can be paired in `round`, by seed: entered, not withdrawn, without a bye."""
    away = {bye.entrant for bye in table.byes if bye.round == round}
    away.update(entrant for entrant, since in table.withdrawn.items() if since <= round)
    there = (each for each in table.entrants if each.id not in away and each.entered <= round)
    return sorted(there, key=lambda entrant: entrant.seed)


def check_boards(table: Table, round: int, boards: Sequence[PairedBoard]) -> None:
    """Check that boards set by hand only seat players of `round`, and nobody twice.

    Raises `NotEntered` or `SeatedTwice`.
    """
    there = {entrant.id for entrant in available(table, round)}
    seated: set[EntrantId] = set()
    for board in boards:
        for entrant in (board.first, board.second):
            if entrant not in there:
                raise NotEntered(entrant, round)
            if entrant in seated:
                raise SeatedTwice(entrant)
            seated.add(entrant)


def require_results(table: Table) -> None:
    """Check that every game so far has a result; raises `UnfinishedRound` otherwise."""
    running = [meeting for meeting in table.meetings if meeting.result is None]
    if running:
        places = (f"round {meeting.round}, board {meeting.board}" for meeting in running[:SHOWN])
        boards = "; ".join(places) + ("; …" if len(running) > SHOWN else "")
        raise UnfinishedRound(table.rounds, len(running), boards)
