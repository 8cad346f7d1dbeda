"""Lists that are ahead of the log: what differs is written again, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest
from sqlalchemy import Connection, func, select, update

from service.composition.projector import list_projections, rebuild
from service.composition.service import Service, compose
from service.imports.state import ImportMode
from service.openings.values import Opening
from service.projection import mending
from service.projection.checkpoints import read_checkpoints
from service.projection.database.tables import GAME, GAME_POSITION, PLAYER, RATING_DUE, TOURNAMENT
from service.projection.games import continuations
from service.projection.games.projection import GameProjection, PreparedGames
from service.projection.heads import find_ahead, note_lost
from service.projection.mending import Mending
from service.projection.openings import Classification
from service.projection.puzzles.puzzles import write_collection
from service.projection.short_heads import read_heads, shorten_head
from service.projection.strict_imports import StrictImports
from service.projection.updates import StreamUpdate
from service.tournament.commands import CreateTournament, Enter
from tests.service.projection.strict import StrictImport
from tests.service.projection.support import (
    SCRIBE,
    correct,
    create,
    dump,
    end,
    listed,
    play,
    project_service,
    rated_game,
    reopen,
)

ADMIN = "admin"
OPENINGS = [Opening("katruji", "First Step", ("Sd1",))]


def keep(service: Service) -> Callable[[], Service]:
    """Save what the log has; the function returned restores it, and composes a new process."""
    kept = {key: service.store.dump(key) for key in service.store.keys("*")}

    def lose() -> Service:
        service.store.flushall()
        for key, value in kept.items():
            assert isinstance(value, bytes)
            service.store.restore(key, 0, value)
        return compose(service.settings)

    return lose


def mend(service: Service) -> bool:
    projections = list_projections(service)
    strict = StrictImports(service.imports)
    return Mending(service.games, service.database, projections, strict).run()


def check_like_rebuilt(service: Service) -> None:
    """Fail unless the rows are those of a rebuild, once everything is projected."""
    project_service(service)
    write_collection(service.database)
    assert find_ahead(service.log, service.database.read(read_checkpoints)) == []
    found = dump(service.database)
    rebuild(service)
    rebuilt = dump(service.database)
    # An edition counts the games that existed before it; what is due may be due earlier.
    for name in found.keys() - {"opening_edition", "rating_due"}:
        assert found[name] == rebuilt[name], name


def begin(service: Service) -> dict[str, str]:
    """Create games, players and a tournament; returns the players' ids by their short names."""
    players = {name: service.players.unclaimed(f"{name} One", ADMIN) for name in ("Ada", "Bea")}
    players["Cy"] = service.players.unclaimed("Cy Two", ADMIN)
    service.players.merge(players["Cy"], players["Bea"], ADMIN)
    create_tournament(service, "t" * 16, players["Ada"])
    for id in ("kept", "corrected", "reopened", "cut"):
        create(service.games, id * 4, players["Ada"], players["Cy"], tags={"Event": "Open"})
        play(service.games, id * 4, 3)
    for id in ("kept", "corrected", "reopened"):
        end(service.games, id * 4, "1-0")
    rated_game(service.games, "rated" * 3, players["Ada"], players["Bea"], "1-0", rated=True)
    create(service.games, "offered" * 2, players["Ada"], "", mode="challenge")
    return players


def create_tournament(service: Service, id: str, *players: str) -> None:
    command = CreateTournament(
        name=f"Open {id[0]}", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    service.tournaments.create(id, command, SCRIBE)
    for player in players:
        service.tournaments.execute(id, Enter(player=player), SCRIBE)


def go_on(service: Service, players: Mapping[str, str]) -> None:
    """Append what the log then loses."""
    correct(service.games, "corrected" * 4, "0-1")
    reopen(service.games, "reopened" * 4)
    end(service.games, "cut" * 4, "1/2-1/2")
    create(service.games, "lost" * 4, tags={"Event": "Lost"})
    play(service.games, "lost" * 4, 5)
    end(service.games, "lost" * 4, "1-0")
    rated_game(service.games, "gone" * 4, players["Ada"], players["Bea"], "0-1", rated=True)
    create(service.games, "other" * 3, players["Bea"], "", mode="challenge")
    service.players.merge(players["Ada"], players["Bea"], ADMIN)
    service.players.part(players["Cy"], ADMIN)
    service.players.unclaimed("Dee Four", ADMIN)
    create_tournament(service, "u" * 16, players["Ada"])
    service.tournaments.execute("t" * 16, Enter(player=players["Cy"]), SCRIBE)
    StrictImport(service, 2, ImportMode.QUARANTINE).take_all_in()


def go_on_otherwise(service: Service, players: Mapping[str, str]) -> None:
    """Append something else in its place, partly at the same versions."""
    play(service.games, "cut" * 4, 1)
    correct(service.games, "reopened" * 4, "1/2-1/2")
    create(service.games, "lost" * 4, players["Bea"], players["Cy"])
    create(service.games, "new" * 4)
    service.players.rename(players["Ada"], "Ada Three", ADMIN)
    service.players.unclaimed("Eve Five", ADMIN)
    service.tournaments.execute("t" * 16, Enter(player=players["Bea"]), SCRIBE)


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the games that are prepared for writing, in order."""
    ids: list[str] = []
    prepare = GameProjection.prepare

    def note(self: GameProjection, updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        ids.extend(updates)
        return prepare(self, updates)

    monkeypatch.setattr(GameProjection, "prepare", note)
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("goes_on", [False, True], ids=["nothing came since", "more came since"])
def test_what_differs_is_written_anew_and_nothing_else(
    service: Service, prepared: list[str], monkeypatch: pytest.MonkeyPatch, *, goes_on: bool
) -> None:
    # Let positions of two games have sums.
    monkeypatch.setattr(continuations, "SHARED", 2)
    service.openings.replace(OPENINGS, ADMIN)
    players = begin(service)
    project_service(service)
    Classification(service.database).run()
    lose = keep(service)
    go_on(service, players)
    project_service(service)
    fresh = lose()
    if goes_on:
        go_on_otherwise(fresh, players)
    assert find_ahead(fresh.log, fresh.database.read(read_checkpoints))
    prepared.clear()
    assert mend(fresh)
    expected = {"corrected" * 4, "reopened" * 4, "cut" * 4}
    assert set(prepared) == expected | ({"lost" * 4, "new" * 4} if goes_on else set())
    assert listed(fresh.database, tags=[("Event", "Lost")]) == []
    check_like_rebuilt(fresh)


def test_rows_have_the_heads_of_the_log(service: Service) -> None:
    begin(service)
    StrictImport(service, 2, ImportMode.QUARANTINE).take_all_in()
    project_service(service)
    for kind, table in (("game", GAME), ("player", PLAYER), ("tournament", TOURNAMENT)):
        streams = service.log.streams(kind)
        heads = map(shorten_head, service.log.digests(streams))
        current = {one.id: head for one, head in zip(streams, heads, strict=True)}
        found = service.database.read(partial(read_heads, table=table))
        assert found == current


def test_what_was_written_without_heads_is_written_anew(
    service: Service, prepared: list[str]
) -> None:
    begin(service)
    project_service(service)
    # As an earlier version left them.
    for table in (GAME, PLAYER, TOURNAMENT):
        statement = update(table).values(head=None)
        service.database.write(partial(Connection.execute, statement=statement))
    note_lost(service.database, [0])
    prepared.clear()
    assert mend(service)
    assert len(prepared) == 6
    check_like_rebuilt(service)


def test_a_rating_is_due_again_from_when_a_lost_game_had_ended(service: Service) -> None:
    players = begin(service)
    project_service(service)
    lose = keep(service)
    state = rated_game(service.games, "gone" * 4, players["Ada"], players["Bea"], "0-1", rated=True)
    project_service(service)
    fresh = lose()
    fresh.database.write(lambda connection: connection.execute(RATING_DUE.delete()))
    assert mend(fresh)
    due = fresh.database.read(lambda connection: connection.execute(select(RATING_DUE)).all())
    assert [row.since for row in due] == [state.ended_at]


def test_a_game_held_back_is_mended_and_shown_with_the_others(service: Service) -> None:
    strict = StrictImport(service, 4)
    strict.take_in(2)
    project_service(service)
    lose = keep(service)
    strict.take_in(1)
    project_service(service)
    assert len(dump(service.database, "held_game")["held_game"]) == 3
    fresh = lose()
    assert mend(fresh)
    assert len(dump(fresh.database, "held_game")["held_game"]) == 2
    assert listed(fresh.database) == []
    check_like_rebuilt(fresh)


def test_everything_is_built_anew_where_too_much_differs(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = begin(service)
    lose = keep(service)
    go_on(service, players)
    project_service(service)
    fresh = lose()
    before = dump(fresh.database)
    monkeypatch.setattr(mending, "MOST", 3)
    assert not mend(fresh)
    assert dump(fresh.database) == before


def test_everything_is_built_anew_where_the_table_of_openings_is_lost(service: Service) -> None:
    begin(service)
    lose = keep(service)
    service.openings.replace(OPENINGS, ADMIN)
    project_service(service)
    fresh = lose()
    before = dump(fresh.database)
    assert not mend(fresh)
    assert dump(fresh.database) == before


def test_everything_is_built_anew_where_games_are_held_back_for_a_lost_import(
    service: Service,
) -> None:
    strict = StrictImport(service, 4)
    strict.take_in(2)
    project_service(service)
    service.store.delete(*service.store.keys(f"*import:{strict.id}*"))
    note_lost(service.database, [0])
    before = dump(service.database)
    assert not mend(compose(service.settings))
    assert dump(service.database) == before


def test_positions_of_lost_games_leave_no_row(service: Service) -> None:
    lose = keep(service)
    create(service.games, "lost" * 4)
    play(service.games, "lost" * 4, 5)
    end(service.games, "lost" * 4, "1-0")
    project_service(service)
    counted = select(func.count()).select_from(GAME_POSITION)
    assert service.database.read(lambda c: c.execute(counted).scalar_one()) == 6
    fresh = lose()
    note_lost(fresh.database, [0])
    assert mend(fresh)
    names = ("game", "game_play", "game_position", "game_material", "seat", "continuation")
    assert dump(fresh.database, *names) == {name: [] for name in sorted(names)}
