"""The cross table: for each entrant, best first, the outcome of every round."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from engine.side import Side
from service.tournament.standings.entrant_records import collect_records
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.standing import Standing, standings
from service.tournament.table import EntrantId, Mark, Table


@dataclass(frozen=True, slots=True)
class CrossTableCell:
    """One game or bye; `mark` and the points are None while the game is running.

    `row` is the opponent's row, from 1; a bye has no opponent, no side and no row.
    """

    round: int
    opponent: EntrantId | None
    row: int | None
    side: Side | None
    mark: Mark | None
    match: Decimal | None
    points: int | None
    game: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant with all cells, by round."""

    standing: Standing
    cells: tuple[CrossTableCell, ...]


def cross_table(table: Table, regulations: Regulations) -> tuple[Row, ...]:
    """The rows in the order of the standings."""
    ranked = standings(table, regulations)
    rows = {standing.entrant: row for row, standing in enumerate(ranked, 1)}
    cells: dict[EntrantId, list[CrossTableCell]] = {entrant: [] for entrant in rows}
    for entrant, record in collect_records(table, regulations).items():
        cells[entrant] += [
            CrossTableCell(
                entry.round,
                entry.opponent,
                rows[entry.opponent] if entry.opponent is not None else None,
                entry.side,
                entry.mark,
                entry.match,
                entry.points,
                entry.game,
            )
            for entry in record.entries
        ]
    for meeting in table.meetings:
        if meeting.result is None:
            for side, who, other in (
                (Side.FIRST, meeting.first, meeting.second),
                (Side.SECOND, meeting.second, meeting.first),
            ):
                cells[who].append(
                    CrossTableCell(
                        meeting.round, other, rows[other], side, None, None, None, meeting.game
                    )
                )
    return tuple(
        Row(standing, tuple(sorted(cells[standing.entrant], key=_when))) for standing in ranked
    )


def _when(cell: CrossTableCell) -> tuple[int, int, str]:
    return cell.round, cell.row or 0, cell.game or ""
