"""A classification by openings that is killed at any point goes on, and ends like any other."""

from __future__ import annotations

import pytest

from notation.registry import find_dialect
from service.composition.projector import rebuild
from service.composition.service import Service
from service.openings.values import Opening
from service.projection import openings as projection
from service.projection.openings import Classification, Progress
from tests.service.projection.games.synthetic import make_games
from tests.service.projection.killed import classify, run_killed
from tests.service.projection.support import dump, project_service

GAMES = 40
EVERY = 5
TABLES = ("game_opening", "named_game", "opening", "opening_edition")


def name_beginnings(service: Service, ids: list[str], plies: int) -> list[Opening]:
    """An opening for each position within the first `plies` actions of the usual games."""
    found: dict[tuple[str, str], Opening] = {}
    for state in map(service.games.load, ids):
        position = find_dialect(state.variant).start({})
        if state.fen is not None or state.secret_choice is not None:
            continue
        for count, played in enumerate(state.played[:plies], 1):
            position.play(played.action)
            actions = tuple(one.coordinate for one in state.played[:count])
            name = f"Opening {len(found) % 9}: after {count}"
            at = (state.variant, find_dialect(state.variant).write_fen(position))
            found.setdefault(at, Opening(state.variant, name, actions))
    return list(found.values())


@pytest.mark.slow
def test_kills_leave_no_game_out_and_classify_none_twice(
    environment: dict[str, str], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "BATCH", 7)
    ids = list(make_games(service.games, GAMES))
    project_service(service)
    classification = Classification(service.database)
    # The second time the rows of the first table are deleted as well.
    for version, plies in enumerate((2, 4), 1):
        service.openings.replace(name_beginnings(service, ids, plies), "op")
        project_service(service)
        progress = classification.progress()
        assert progress is not None
        assert not progress.ready
        kills = list(run_killed(environment, classify, EVERY))
        assert len(kills) > 2
        progress = classification.progress()
        assert progress is not None
        assert progress == Progress(version, progress.games, progress.games, ready=True)
        found = dump(service.database, *TABLES)
        assert len(found["opening_edition"]) == 1
        assert found["game_opening"]
        # A rebuild classifies all games undisturbed.
        rebuild(service)
        assert dump(service.database, *TABLES) == found
