"""Reacts to events while the lists are rebuilt and no projector runs."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Final

from service.game.repository import Games
from service.log.values import Pointer
from service.projection.batches import cut_batches, group_batches
from service.projection.games.projection import GameProjection
from service.projection.reactions import Reactions
from service.projection.updates import game_updates

LONGEST: Final = 1.0
"""Seconds after which a step ends, however much is left."""


class InterimReactions:
    """Follows the feed from where the reactions ended, and writes nothing.

    How far it has come is not stored: the projector that begins once the rows are built does all of
    it again, as after a crash.
    """

    def __init__(self, games: Games, reactions: Reactions) -> None:
        self.games = GameProjection(games)
        self.events = games.log
        self.reactions = reactions
        self._reached = reactions.progress.load(self.events.partitions)

    def step(self, timeout: float) -> int:
        """React to what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        Raises what the log raises when it cannot be reached.
        """
        came: dict[int, list[Pointer]] = defaultdict(list)
        for partition, pointer in self.events.wait(self._reached, timeout):
            came[partition].append(pointer)
        until = time.monotonic() + LONGEST
        done = 0
        for batches in group_batches(cut_batches(came, self._reached)):
            updates = game_updates(batches)
            pointers = [pointer for batch in batches for pointer in batch.pointers]
            self.reactions.react_to_games(updates, self.games.prepare(updates).whole)
            self.reactions.react_to_others(pointers)
            self._reached.update({batch.range.partition: batch.range.upto for batch in batches})
            done += len(pointers)
            if time.monotonic() > until:
                break
        return done
