"""Finding games: the lists and the indexes of positions together, newest games first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import redis

from service.errors import BadValue
from service.projection.game_list import MEMBER, Page
from service.projection.generation import Current
from service.projection.query import IndexEntry, Query
from service.projection.summary import GameSummary, from_json, id_of

CHUNK: Final = 200
"""How many games are looked at with one command."""
LOOKED_AT: Final = 4000
"""How many games are looked at for one page at most."""
END: Final = b";"
"""Sorts behind every member of a list: those begin with digits."""


class Search:
    """Finds games in the projections of `store`, a client that does not decode responses.

    They lag behind the log by what `service.log.feed_checkpoints.Checkpoints` says. The narrowest
    place is walked, the others are asked: what is looked at, not what there is, costs time.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._current = Current(store)

    def page(self, query: Query, cursor: str | None = None, limit: int = 50) -> Page:
        """Up to `limit` games older than `cursor`, an earlier page's `next_cursor`.

        A page may hold fewer games than `limit`, even none, and still have a next one. Raises
        BadValue for a cursor that never was one, BadFen and UnknownVariant for a bad query.
        """
        if cursor is not None and not MEMBER.fullmatch(cursor):
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        places = query.places()
        return self._current.read(
            lambda base: self._page(_under(base, places), base, query, cursor, limit)
        )

    def ids(self, query: Query, cursor: str | None = None) -> Iterator[str]:
        """The ids of every game that fits, newest first; a chunk of them is held at a time.

        `cursor` is the `member` of the game before them. Raises BadFen, BadValue and
        UnknownVariant for a bad query.
        """
        while True:
            members, cursor = self._chunk(query, cursor)
            yield from map(id_of, members)
            if cursor is None:
                return

    def summaries(self, ids: Sequence[str]) -> list[GameSummary | None]:
        """What the lists show of these games; None for those they do not know."""
        if not ids:
            return []
        [stored] = self._current.fetch(lambda ask, base: ask.hmget(f"{base}games", list(ids)))
        return [None if text is None else from_json(text) for text in stored]

    def _chunk(self, query: Query, cursor: str | None) -> tuple[list[str], str | None]:
        """Members that fit, of the next CHUNK, and where the others begin, if there are any."""
        places = query.places()

        def read(base: str) -> tuple[list[str], str | None]:
            walked, *others = self._narrowest_first(_under(base, places))
            members = self._older(walked, cursor, CHUNK)
            last = members[-1] if len(members) == CHUNK else None
            if query.is_placed:
                return self._placed(members, others), last
            standing = self._standing(members, others, base)
            return [member for member, game in standing if query.fits(game)], last

        return self._current.read(read)

    def _page(
        self, places: Sequence[IndexEntry], base: str, query: Query, cursor: str | None, limit: int
    ) -> Page:
        walked, *others = self._narrowest_first(places)
        found: list[GameSummary] = []
        last = cursor
        # Where everything fits, this is all there is to read.
        size = min(limit + 1, CHUNK)
        for _ in range(LOOKED_AT // CHUNK):
            members = self._older(walked, last, size)
            for member, game in self._standing(members, others, base):
                if query.fits(game):
                    if len(found) == limit:
                        return Page(found, last)
                    found.append(game)
                last = member
            if len(members) < size:
                return Page(found, None)
            last, size = members[-1], CHUNK
        return Page(found, last)

    def _narrowest_first(self, places: Sequence[IndexEntry]) -> list[IndexEntry]:
        if len(places) == 1:
            return list(places)
        pipeline = self.store.pipeline(transaction=False)
        for place in places:
            pipeline.zlexcount(place.key, b"[" + place.prefix, b"(" + place.prefix + END)
        sizes = pipeline.execute()
        order = sorted(range(len(places)), key=lambda number: sizes[number])
        return [places[number] for number in order]

    def _older(self, place: IndexEntry, than: str | None, number: int) -> list[str]:
        """The next members of a place, newest first, without what they begin with there."""
        below = place.prefix + (END if than is None else than.encode())
        members: Any = self.store.zrevrangebylex(
            place.key, b"(" + below, b"[" + place.prefix, start=0, num=number
        )
        return [member[len(place.prefix) :].decode() for member in members]

    def _placed(self, members: Sequence[str], others: Sequence[IndexEntry]) -> list[str]:
        """Those members that stand in the other places too."""
        if not members or not others:
            return list(members)
        pipeline = self.store.pipeline(transaction=False)
        for place in others:
            pipeline.zmscore(place.key, _in_place(members, place))
        scores = zip(*pipeline.execute(), strict=True)
        return [member for member, at in zip(members, scores, strict=True) if None not in at]

    def _standing(
        self, members: Sequence[str], others: Sequence[IndexEntry], base: str
    ) -> Iterator[tuple[str, GameSummary]]:
        """Those members that stand in the other places too, with their games."""
        if not members:
            return
        pipeline = self.store.pipeline(transaction=False)
        pipeline.hmget(f"{base}games", list(map(id_of, members)))
        for place in others:
            pipeline.zmscore(place.key, _in_place(members, place))
        texts, *scores = pipeline.execute()
        for number, member in enumerate(members):
            if texts[number] is not None and all(at[number] is not None for at in scores):
                yield member, from_json(texts[number])


def _in_place(members: Sequence[str], place: IndexEntry) -> list[Any]:
    return [place.prefix + member.encode() for member in members]


def _under(base: str, places: Sequence[IndexEntry]) -> list[IndexEntry]:
    return [IndexEntry(f"{base}{place.key}", place.prefix) for place in places]
