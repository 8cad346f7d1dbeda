"""Round robins by Berger tables, as FIDE's handbook prints them (C.05, annex 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from service.tournament.pairing.board import PairedBoard, PairedRound
from service.tournament.pairing.errors import SeatedTwice, TooFewEntrants
from service.tournament.table import EntrantId


def berger(
    entrants: Sequence[EntrantId], cycles: int = 1, *, earlier: bool = False
) -> tuple[PairedRound, ...]:
    """All rounds, in order, of everyone against everyone `cycles` times.

    `entrants` are in the order of their numbers, from 1. With an odd number of entrants there is a
    dummy with the last number, and whoever is paired with it rests. Each cycle swaps the sides of
    the one before. The last two rounds of each cycle but the last change places, so that with an
    even number nobody has the same side three times running. With four entrants in three or four
    cycles, they change places in the first and third cycle alone. `earlier` gives the order that
    those had before, for tournaments begun in it. Raises `TooFewEntrants` or `SeatedTwice`.

    >>> [[f"{b.first}-{b.second}" for b in r.boards] for r in berger([*map(EntrantId, "1234")])]
    [['1-4', '2-3'], ['4-3', '1-2'], ['2-4', '3-1']]
    """
    if len(entrants) < 2:
        raise TooFewEntrants(len(entrants))
    for entrant, count in Counter(entrants).items():
        if count > 1:
            raise SeatedTwice(entrant)
    table = _cycle(entrants)
    rounds: list[PairedRound] = []
    for cycle in range(cycles):
        turn = table if cycle % 2 == 0 else [_turned(each) for each in table]
        if len(turn) > 1 and _changes_places(len(entrants), cycles, cycle, earlier):
            turn = [*turn[:-2], turn[-1], turn[-2]]
        rounds += turn
    return tuple(rounds)


def _changes_places(entrants: int, cycles: int, cycle: int, earlier: bool) -> bool:
    """Whether the last two rounds of a cycle, counted from 0, change places."""
    if entrants == 4 and cycles > 2 and not earlier:
        return cycle % 2 == 0
    return cycle < cycles - 1


def number_of_rounds(entrants: int, cycles: int = 1) -> int:
    """The number of rounds that `berger` makes for `entrants` entrants.

    >>> number_of_rounds(4), number_of_rounds(5, 2)
    (3, 10)
    """
    return cycles * (entrants - 1 if entrants % 2 == 0 else entrants)


def _cycle(entrants: Sequence[EntrantId]) -> list[PairedRound]:
    """One Berger table: the last number stands still, the others walk round it by half a table.

    Number `size` alternately has the second and the first side; the others meet in pairs whose
    numbers have the same sum modulo `size - 1`.
    """
    seats: list[EntrantId | None] = [*entrants]
    if len(seats) % 2:
        seats.append(None)
    size = len(seats)
    ring = size - 1
    rounds = []
    for turn in range(ring):
        top = turn * (size // 2) % ring
        pairs = [(top, ring) if turn % 2 == 0 else (ring, top)]
        pairs += [((top + step) % ring, (top - step) % ring) for step in range(1, size // 2)]
        rounds.append(_round([(seats[first], seats[second]) for first, second in pairs]))
    return rounds


def _round(pairs: Sequence[tuple[EntrantId | None, EntrantId | None]]) -> PairedRound:
    boards = [PairedBoard(first, second) for first, second in pairs if first and second]
    resting = [first or second for first, second in pairs if not (first and second)]
    return PairedRound(tuple(boards), tuple(each for each in resting if each))


def _turned(paired: PairedRound) -> PairedRound:
    return PairedRound(tuple(board.turned for board in paired.boards), paired.resting)
