"""Players who are one person: their games stand in the lists of each they were merged into."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

import redis

from service.game.repository import Games
from service.game.state import GameState
from service.log.values import Pointer
from service.player.events import PlayerMerged, PlayerParted
from service.player.mergers import survivors
from service.player.state import KIND
from service.projection.game_index import GameIndex
from service.projection.partial_fold import fold_as_far_as_it_goes
from service.projection.query import Query
from service.projection.search import Search

log = logging.getLogger(__name__)

BATCH: Final = 100


class MergerFollower:
    """A follower of the projector (`service.projection.projector.Follower`)."""

    kind: Final = KIND

    def __init__(self, games: Games, store: redis.Redis) -> None:
        self.games = games
        self.search = Search(store)
        self.index = GameIndex(store, partial(survivors, games.log))

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """List the games of those merged or parted anew; again, it changes nothing."""
        for pointer in pointers:
            try:
                if self._is_merger(pointer):
                    self._list_again(pointer.stream.id)
            except redis.RedisError:
                raise
            except Exception:
                log.exception("the games of %s are not listed anew", pointer.stream)

    def _is_merger(self, pointer: Pointer) -> bool:
        count = pointer.last - pointer.first + 1
        recorded = self.games.log.read(pointer.stream, pointer.first - 1, count)
        return any(isinstance(entry.event, PlayerMerged | PlayerParted) for entry in recorded)

    def _list_again(self, player: str) -> None:
        # Those of others who were merged into this one stand in the list already.
        ids = iter(list(self.search.ids(Query(player=player))))
        while batch := list(islice(ids, BATCH)):
            self.index.write(list(self._states(batch)))

    def _states(self, ids: Sequence[str]) -> Iterator[GameState]:
        for id in ids:
            try:
                yield self.games.load(id)
            except redis.RedisError:
                raise
            except Exception:
                state, _ = fold_as_far_as_it_goes(self.games.log, id)
                if state is not None:
                    yield state
