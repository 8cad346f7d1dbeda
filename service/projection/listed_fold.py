"""Folds games for the lists, which need less of an imported record than its readers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.game.begin import import_game
from service.game.events import RecordImported
from service.game.evolve import fold
from service.game.importing import replayed_actions
from service.game.outline import GameOutline
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.values import Recorded
from service.projection.games.imported import outline_import
from service.projection.games.play import Play, index_record, play_of


def outline_game(id: str, recorded: Sequence[Recorded]) -> GameOutline | None:
    """What lists show of a game after these events, its first ones; None without any.

    An imported record to which nothing was added is outlined in the same way as by its importer,
    while it is replayed for the first time.
    """
    if len(recorded) == 1 and isinstance(recorded[0].event, RecordImported):
        return outline_import(id, recorded[0], index_record(recorded[0].event))
    return fold_for_lists(id, recorded)


def fold_for_lists(id: str, recorded: Sequence[Recorded]) -> GameState | None:
    """The state after these events, a game's first ones; None without any.

    The actions of an imported record have no short forms and no annotations.
    """
    if not recorded or not isinstance(recorded[0].event, RecordImported):
        return fold(id, recorded)
    first, *others = recorded
    assert isinstance(first.event, RecordImported)
    state = import_game(first.event, first, id, replayed_actions)
    return fold(id, others, _marked(state, first))


def play_at(games: Games, id: str, version: int) -> Play | None:
    """What was played in a game up to this version, read from its log."""
    state = fold_for_lists(id, games.log.read(stream_of(id), 0, version))
    return None if state is None else play_of(state)


def _marked(state: GameState, entry: Recorded) -> GameState:
    return replace(state, version=entry.version, updated_at=entry.at, head=entry.hash)
