"""The FIDE (Dutch) Swiss system: handbook C.04.3 in the edition valid to 31 January 2026.

The pairing itself is done by py4swiss, a library that follows that edition; this module only
converts a `Table` to the library's own form. The library is imported only when a round is paired,
since it does not have a build for every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.side import Side
from service.tournament.pairing.board import PairedBoard, PairedRound, available, require_results
from service.tournament.pairing.errors import (
    NoPairing,
    NothingToPair,
    SwissUnavailable,
    TooFewEntrants,
)
from service.tournament.scheme import ScoringScheme
from service.tournament.table import Entrant, EntrantId, Mark, Meeting, Table

if TYPE_CHECKING:
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.results import RoundResult, ScoringPointSystem
    from py4swiss.trf.sections import PlayerSection

TENTHS: Final = 10
"""The library's units in a point: it counts in tenths."""

TOKENS: Final[Mapping[Mark, str]] = {
    Mark.WIN: "1",
    Mark.DRAW: "=",
    Mark.LOSS: "0",
    Mark.FORFEIT_WIN: "+",
    Mark.FORFEIT_LOSS: "-",
    Mark.PAIRING_BYE: "U",
    Mark.FULL_BYE: "F",
    Mark.HALF_BYE: "H",
    Mark.ZERO_BYE: "Z",
}


def pair_swiss(
    table: Table, scheme: ScoringScheme, planned_rounds: int, first_round_first: bool = True
) -> PairedRound:
    """The boards of round `table.rounds + 1` of `planned_rounds`.

    Players who have a bye there, have withdrawn or have not entered yet are left out; if the number
    is odd, the one who rests gets the pairing-allocated bye. Scores are match points by `scheme`.
    `first_round_first` is the draw of lots before the first round: whether the best seed has the
    first side there. Forfeited games count as not played: the two may meet again, and neither has
    had a side.

    Raises `UnfinishedRound`, `NothingToPair` after the planned rounds, `TooFewEntrants`,
    `NoPairing` if no pairing keeps the absolute rules, and `SwissUnavailable` if the library cannot
    be loaded.
    """
    require_results(table)
    round = table.rounds + 1
    if round > planned_rounds:
        raise NothingToPair
    paired = available(table, round)
    if len(paired) < 2:
        raise TooFewEntrants(len(paired))
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError
    except ImportError as error:
        raise SwissUnavailable(str(error)) from error
    entrants = sorted(table.entrants, key=lambda entrant: entrant.seed)
    report = _report(table, entrants, scheme, planned_rounds, first_round_first)
    there = {entrant.id for entrant in paired}
    report.x_section.zeroed_ids = {
        number for number, each in enumerate(entrants, 1) if each.id not in there
    }
    try:
        pairings = DutchEngine.generate_pairings(report)
    except PairingError as error:
        raise NoPairing(round) from error
    ids = {number: entrant.id for number, entrant in enumerate(entrants, 1)}
    return PairedRound(
        tuple(PairedBoard(ids[each.white], ids[each.black]) for each in pairings if each.black),
        tuple(ids[each.white] for each in pairings if not each.black),
    )


def _report(
    table: Table,
    entrants: list[Entrant],
    scheme: ScoringScheme,
    planned_rounds: int,
    first_round_first: bool,
) -> ParsedTrf:
    """The tournament as the library reads it: its history by starting numbers."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.sections import PlayerSection, XSection
    from py4swiss.trf.sections.x_section import XSectionConfiguration

    points = _points(scheme)
    histories = _histories(table, entrants)
    players: list[PlayerSection] = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number,
            rank=number,
            points_times_ten=sum(points.get_points_times_ten(each) for each in history),
            results=history,
        )
        for number, history in enumerate(histories, 1)
    ]
    return ParsedTrf(
        player_sections=players,
        x_section=XSection(
            number_of_rounds=planned_rounds,
            scoring_point_system=points,
            configuration=XSectionConfiguration(first_round_color=first_round_first),
        ),
    )


def _points(scheme: ScoringScheme) -> ScoringPointSystem:
    from py4swiss.trf.results import ColorToken, ResultToken, ScoringPointSystem

    system = ScoringPointSystem()
    for mark, token in TOKENS.items():
        for colour in ColorToken:
            points = int(scheme.match[mark] * TENTHS)
            system.score_dict[(ResultToken(token), colour)] = points
    return system


def _histories(table: Table, entrants: list[Entrant]) -> list[list[RoundResult]]:
    """Everyone's rounds in order; a round in which an entrant took no part is a zero-point bye."""
    numbers = {entrant.id: number for number, entrant in enumerate(entrants, 1)}
    nothing = _result(0, None, Mark.ZERO_BYE)
    histories = [[nothing] * table.rounds for _ in entrants]

    def enter(round: int, entrant: EntrantId, result: RoundResult) -> None:
        histories[numbers[entrant] - 1][round - 1] = result

    for bye in table.byes:
        if bye.round <= table.rounds:
            enter(bye.round, bye.entrant, _result(0, None, bye.kind))
    for meeting in table.meetings:
        first, second = _results(meeting, numbers)
        enter(meeting.round, meeting.first, first)
        enter(meeting.round, meeting.second, second)
    return histories


def _results(meeting: Meeting, numbers: Mapping[EntrantId, int]) -> tuple[RoundResult, RoundResult]:
    assert meeting.result is not None  # pair_swiss has asked for all results
    first, second = numbers[meeting.first], numbers[meeting.second]
    return (
        _result(second, Side.FIRST, meeting.result.mark(Side.FIRST)),
        _result(first, Side.SECOND, meeting.result.mark(Side.SECOND)),
    )


def _result(opponent: int, side: Side | None, mark: Mark) -> RoundResult:
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    colours = {None: "-", Side.FIRST: "w", Side.SECOND: "b"}
    return RoundResult(
        id=opponent, color=ColorToken(colours[side]), result=ResultToken(TOKENS[mark])
    )
