"""What was played from the positions of openings, counted for the explorer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.variant import Variant
from notation.registry import find_dialect
from service.openings.self_play.statistics import (
    WINS,
    SelfPlayStatistics,
    Source,
    write_actions,
)
from training.folder_lock import locked
from training.game_files import GameFile, GameFolder, write_bytes
from training.played_game import PlayedGame

PLIES: Final = 24
"""How many actions of each game are counted."""
FEWEST: Final = 10
"""A position that fewer games reached is left out."""


def count_openings(games: GameFolder, variant: Variant, fewest: int = FEWEST) -> SelfPlayStatistics:
    """Count what was played from each position that enough games reached; raises NoGames.

    Where several builds have played the games, the source names them all.
    """
    games.choose_variants([variant.name])
    counted: dict[str, dict[str, dict[str, int]]] = {}
    total = 0
    builds = set()
    for file in map(GameFile.read, games.files(variant.name)):
        total += len(file.games)
        builds.add(file.header.build)
        for played in file.games:
            result = WINS[round(2 * (1 - played.points))]
            for key, action in first_actions(variant, played):
                results = counted.setdefault(key, {}).setdefault(action, dict.fromkeys(WINS, 0))
                results[result] += 1
    positions = {
        key: write_actions(actions)
        for key, actions in sorted(counted.items())
        if count_games(actions.values()) >= fewest
    }
    source = Source(total, games.read_plan().nodes, ", ".join(sorted(builds)), fewest)
    return SelfPlayStatistics(source, positions)


def first_actions(variant: Variant, played: PlayedGame) -> Iterator[tuple[str, str]]:
    """The keys of a game's first positions, each with the action played there.

    A game counts once for an action that it played twice from the same position.
    """
    dialect = find_dialect(variant.name)
    position = dialect.read_fen(played.start)
    seen: set[tuple[str, str]] = set()
    for action in played.actions[:PLIES]:
        found = dialect.position_key(dialect.write_fen(position)), dialect.coordinate(action)
        if found not in seen:
            seen.add(found)
            yield found
        position.play(action)


def count_games(results: Iterable[dict[str, int]]) -> int:
    """The number of games in these results."""
    return sum(sum(each.values()) for each in results)


def write_openings(games: GameFolder, variant: Variant, folder: Path, fewest: int) -> int:
    """Write a variant's file into a folder; return how many positions it holds.

    Raises NoGames, FolderInUse.
    """
    with locked(folder, f"{variant.name}.lock"):
        found = count_openings(games, variant, fewest)
        write_bytes(folder / f"{variant.name}.txt", found.to_text().encode())
    return len(found.positions)
