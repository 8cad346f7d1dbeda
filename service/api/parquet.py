"""Games as a Parquet file, for research: one row per game, written as they come.

`pyarrow` is an extra, and slow to import, so it is loaded only at the first such export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from service.api.errors import ParquetUnavailable
from service.game.record import find_initial_fen, make_record
from service.game.redaction import Viewer
from service.game.state import GameState
from service.projection.games.rows import day_of
from service.projection.games.terms import find_programs, read_ratings, read_speed
from service.projection.summary import NamedOpening, summarise

if TYPE_CHECKING:
    import pyarrow

MODULE: Final = "pyarrow"
ROWS: Final = 1000
"""The most games of a row group, which are held in memory at once."""
ACTIONS: Final = 200_000
"""The number of actions in its games after which a row group ends."""

Row = dict[str, Any]


def check_parquet() -> None:
    """Raise ParquetUnavailable if the extra is not installed."""
    if find_spec(MODULE) is None:
        raise ParquetUnavailable


def make_schema() -> pyarrow.Schema:
    """The columns, as `docs/api.md` describes them."""
    import pyarrow as pa

    time = pa.timestamp("ms", tz="UTC")
    text, number = pa.string(), pa.int32()
    columns: dict[str, pa.DataType] = {
        "id": text,
        "variant": text,
        "rules": text,
        "mode": text,
        "status": text,
        "first": text,
        "first_name": text,
        "second": text,
        "second_name": text,
        "result": text,
        "termination": text,
        "first_points": number,
        "second_points": number,
        "plies": number,
        "day": pa.date32(),
        "created_at": time,
        "updated_at": time,
        "ended_at": time,
        "first_rating": number,
        "second_rating": number,
        "first_program": pa.bool_(),
        "second_program": pa.bool_(),
        "speed": text,
        "opening": text,
        "opening_code": text,
        "initial_fen": text,
        "tags": pa.map_(text, text),
        "actions": pa.list_(text),
        "clocks_ms": pa.list_(pa.int64()),
        "elapsed_ms": pa.list_(pa.int64()),
    }
    return pa.schema(columns)


def make_row(
    state: GameState, names: dict[str, str], seen: Viewer, opening: NamedOpening | None
) -> Row:
    """A game as the viewer may know it: the contents of its record, and what the lists know."""
    summary = summarise(state)
    points = summary.points or (None, None)
    ratings = read_ratings(state.variant, state.tags)
    programs = find_programs(state.variant, state.tags)
    first, second = state.seats
    notes = [played.annotation for played in state.played]
    return {
        "id": state.id,
        "variant": state.variant,
        "rules": state.rules,
        "mode": str(state.mode),
        "status": str(state.status),
        "first": first,
        "first_name": names.get(first or ""),
        "second": second,
        "second_name": names.get(second or ""),
        "result": summary.result or "*",
        "termination": None if summary.termination is None else str(summary.termination),
        "first_points": points[0],
        "second_points": points[1],
        "plies": summary.plies,
        "day": _parse_day(day_of(summary)),
        "created_at": _time(state.created_at),
        "updated_at": _time(state.updated_at),
        "ended_at": _time(state.ended_at),
        "first_rating": ratings[0],
        "second_rating": ratings[1],
        "first_program": programs[0],
        "second_program": programs[1],
        "speed": read_speed(state.tags),
        "opening": opening and opening.name,
        "opening_code": opening and opening.code,
        "initial_fen": find_initial_fen(state, seen),
        "tags": list(make_record(state, names, seen).tags.items()),
        "actions": [played.coordinate for played in state.played],
        "clocks_ms": _known([note.clock for note in notes]),
        "elapsed_ms": _known([note.elapsed for note in notes]),
    }


def write_parquet(rows: Iterable[Row]) -> Iterator[bytes]:
    """Write games as one file, a row group at a time; nothing remains of an abandoned file."""
    import pyarrow as pa
    from pyarrow import parquet

    schema, sink = make_schema(), _Sink()
    writer = parquet.ParquetWriter(sink, schema, compression="zstd")
    try:
        for group in split_into_groups(rows):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            yield sink.take()
    finally:
        # It must not be left to the garbage collector, which would write into a sink that is gone.
        writer.close()
    yield sink.take()


def split_into_groups(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """The rows, in lists small enough to be held in memory."""
    group: list[Row] = []
    actions = 0
    for row in rows:
        group.append(row)
        actions += len(row["actions"])
        if len(group) >= ROWS or actions >= ACTIONS:
            yield group
            group, actions = [], 0
    if group:
        yield group


class _Sink:
    """A file that keeps what is written until it is taken."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        """Keep a copy of the bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: the bytes are already there."""

    def close(self) -> None:
        """Note that nothing more is written."""
        self.closed = True

    def take(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _known(values: list[int | None]) -> list[int | None] | None:
    """The values of each action, or None if there are none at all."""
    return values if any(value is not None for value in values) else None


def _time(at: int | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC)


def _parse_day(day: str) -> date | None:
    """A day as `1999.12.31`; None if it is unknown, or not in the calendar."""
    with suppress(ValueError):
        return date.fromisoformat(day.replace(".", "-"))
    return None
