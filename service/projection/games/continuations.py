"""What was played from positions that many games share, summed up as games come and go.

A position with SHARED rows or more has its sums in CONTINUATION, and its games by rating in
SHARED_POSITION; those of all others are counted from their rows, which are few.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.sql.expression import and_, case

from service.projection.database.chunks import (
    MOST,
    batched,
    is_among,
    select_in,
    select_rows_in,
    table_of,
)
from service.projection.database.tables import CONTINUATION, GAME, GAME_POSITION
from service.projection.games import shared_positions

SHARED: Final = 64
"""The number of rows from which on a position's continuations are summed up."""
COLUMNS: Final = ("second_wins", "draws", "first_wins", "unfinished")
"""The columns of the sums in the order of the results' numbers."""

Sums = list[int]
"""What is added to a continuation: COLUMNS, then the sum of ratings and the number of ratings."""

Change = tuple[int, str, int, int, int, int]
"""A key, an action, a game's number, its result and its rating (0 is none), and 1 or -1 for a game
that comes or goes."""


def sum_up(connection: Connection, changes: Sequence[Change]) -> None:
    """Bring the sums up to date after the rows of positions are written.

    Each game counts once for a key and an action, however often it returned there.
    """
    keys = sorted({change[0] for change in changes})
    known = set(
        select_in(connection, select(CONTINUATION.c.key).distinct(), CONTINUATION.c.key, keys)
    )
    shared = set(_shared(connection, keys))
    lasting, ended, new = known & shared, known - shared, shared - known
    _add(connection, _add_up(changes, lasting))
    _remove(connection, ended)
    shared_positions.end(connection, ended)
    if new:
        _begin(connection, new)
        shared_positions.begin(connection, new)
    gone, come = (_entries(changes, lasting, sign) for sign in (-1, 1))
    shared_positions.replace(connection, gone, come)


def _add_up(changes: Iterable[Change], keys: Collection[int]) -> dict[int, dict[str, Sums]]:
    """The total of the changes for these keys, by key and action."""
    deltas: dict[int, dict[str, Sums]] = {key: {} for key in sorted(keys)}
    for key, action, _, result, rating, sign in changes:
        # Most positions occur in one game alone.
        if key in deltas:
            sums = deltas[key].setdefault(action, [0] * 6)
            sums[result] += sign
            if rating:
                sums[4] += sign * rating
                sums[5] += sign
    return deltas


def _entries(
    changes: Iterable[Change], keys: Collection[int], sign: int
) -> set[shared_positions.Entry]:
    """The games that come to these positions, or leave them."""
    return {
        (key, rating, number)
        for key, _, number, _, rating, of in changes
        if key in keys and of == sign
    }


def _shared(connection: Connection, keys: Collection[int]) -> list[int]:
    """Those of the keys that have SHARED rows or more."""
    found: list[int] = []
    for some in batched(keys, MOST):
        sought = table_of(connection, some, BigInteger()).c.value
        # At most SHARED rows of each are looked at: the first position has every game's.
        enough = select(literal(1)).where(GAME_POSITION.c.key == sought).offset(SHARED - 1)
        found += connection.execute(select(sought).where(enough.exists())).scalars()
    return found


def _add(connection: Connection, deltas: Mapping[int, Mapping[str, Sums]]) -> None:
    """Add the changes that games make to existing sums."""
    at = CONTINUATION.c
    chosen = select(at.key, at.action)
    known = {(row.key, row.action) for row in select_rows_in(connection, chosen, at.key, deltas)}
    changed: list[dict[str, Any]] = []
    new: list[dict[str, Any]] = []
    for key, actions in deltas.items():
        for action, sums in actions.items():
            row = {"at_key": key, "at_action": action, **_named(sums, "more_")}
            (changed if (key, action) in known else new).append(row)
    if changed:
        connection.execute(_ADD, changed)
    if new:
        connection.execute(insert(CONTINUATION), [_row(one) for one in new])
    # The sums may have dropped to zero when games were removed.
    if any(value < 0 for row in changed for name, value in row.items() if name in _MORE):
        nothing = [at[name] == 0 for name in COLUMNS]
        for key in deltas:
            connection.execute(delete(CONTINUATION).where(at.key == key, *nothing))


def _remove(connection: Connection, keys: Iterable[int]) -> None:
    for key in keys:
        connection.execute(delete(CONTINUATION).where(CONTINUATION.c.key == key))


def _begin(connection: Connection, keys: Collection[int]) -> None:
    """Sum up positions that have become shared from their rows."""
    at = GAME_POSITION.c
    each = (
        select(at.key, at.action, at.number, at.result)
        .where(is_among(connection, at.key, keys))
        .distinct()
        .subquery()
    )
    sums = [
        func.sum(case((each.c.result == number, 1), else_=0)).label(name)
        for number, name in enumerate(COLUMNS)
    ]
    chosen = (
        select(
            each.c.key,
            each.c.action,
            *sums,
            func.sum(GAME.c.rating).label("rating_sum"),
            func.sum(case((GAME.c.rating > 0, 1), else_=literal(0))).label("rated"),
        )
        .join_from(each, GAME, GAME.c.number == each.c.number)
        .group_by(each.c.key, each.c.action)
    )
    names = ["key", "action", *COLUMNS, "rating_sum", "rated"]
    connection.execute(insert(CONTINUATION).from_select(names, chosen))


_MORE: Final = [f"more_{name}" for name in (*COLUMNS, "rating_sum", "rated")]
_ADD: Final = (
    update(CONTINUATION)
    .where(
        and_(
            CONTINUATION.c.key == bindparam("at_key"),
            CONTINUATION.c.action == bindparam("at_action"),
        )
    )
    .values(
        {
            name: CONTINUATION.c[name] + bindparam(f"more_{name}")
            for name in (*COLUMNS, "rating_sum", "rated")
        }
    )
)


def _named(sums: Sums, prefix: str) -> dict[str, int]:
    names = (*COLUMNS, "rating_sum", "rated")
    return {f"{prefix}{name}": value for name, value in zip(names, sums, strict=True)}


def _row(change: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "key": change["at_key"],
        "action": change["at_action"],
        **{name.removeprefix("more_"): change[name] for name in _MORE},
    }
