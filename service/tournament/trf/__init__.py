"""Tournament reports in FIDE's format (TRF16, with what pairing needs of TRF26 and TRF(x)). Pure.

`write_trf` and `read_trf` turn a `Report` into text and back; `report_of` and `table_of` turn a
tournament into a report and back. Game points and games' ids have no place in the format.
"""

from service.tournament.trf.conversion import report_of, scheme_of, table_of
from service.tournament.trf.reader import read_trf
from service.tournament.trf.report import (
    Details,
    Report,
    ReportedPlayer,
    ReportedRound,
    RequestedBye,
)
from service.tournament.trf.writer import write_trf

__all__ = [
    "Details",
    "Report",
    "ReportedPlayer",
    "ReportedRound",
    "RequestedBye",
    "read_trf",
    "report_of",
    "scheme_of",
    "table_of",
    "write_trf",
]
