"""The games of a strict import appear at one instant, whatever happens before that."""

from __future__ import annotations

import pytest

from service.composition.projector import rebuild
from service.composition.service import Service
from service.game.commands import AnnotateAction, Annotation
from service.imports.state import ImportEnding, ImportMode
from service.openings.values import Opening
from service.projection import batches, urgent_updates
from service.projection import projector as projecting
from service.projection.games import held
from service.projection.games.novelty import find_novelty
from service.projection.games.numbers import assign_numbers
from service.projection.games.query import Query
from service.projection.openings import Classification
from service.projection.strict_imports import HeldImports
from tests.service.projection.strict import AT_START, StrictImport, count_seen, projector_of
from tests.service.projection.support import SCRIBE, correct, dump, dump_by_ids, project

GAMES = 6


def check_rebuilt(service: Service) -> None:
    """Fail unless the rows are those of a rebuild."""
    found = dump_by_ids(service.database)
    rebuild(service)
    rebuilt = dump_by_ids(service.database)
    for name in found:
        # An edition counts the games that existed before it.
        if name != "opening_edition":
            assert rebuilt[name] == found[name], name


def test_nothing_is_seen_before_the_import_is_done(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    project(projector)
    ids = strict.take_in(2)
    project(projector)
    assert count_seen(service, ids) == {0}
    assert service.explorer.explore(AT_START).recent == []
    ids += strict.take_all_in()
    # The lists show the games when they know of the import's end, and not before.
    assert count_seen(service, ids) == {0}
    project(projector)
    assert len(ids) == GAMES
    assert count_seen(service, ids) == {GAMES}
    explored = service.explorer.explore(AT_START)
    assert {one.id for one in explored.recent} == {one.id for one in explored.top} == set(ids)
    assert dump(service.database, "held_game") == {"held_game": []}
    check_rebuilt(service)


def test_sums_over_many_games_change_at_once_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "CHUNK", 30)
    projector = projector_of(service)
    others = StrictImport(service, 40, ImportMode.QUARANTINE)
    known = others.take_all_in()
    project(projector)
    assert count_seen(service, known) == {40}
    # The same records and more: those already known are duplicates.
    strict = StrictImport(service, 140)
    strict.take_in(120)
    project(projector)
    assert count_seen(service, known) == {40}
    # Another import comes in between.
    more = StrictImport(service, 50, ImportMode.QUARANTINE)
    more.take_all_in()
    project(projector)
    assert count_seen(service, known) == {40}
    strict.take_all_in()
    project(projector)
    ids = [stream.id for stream in service.log.streams("game")]
    assert len(ids) == 140
    assert count_seen(service, ids) == {140}
    check_rebuilt(service)


@pytest.mark.parametrize("at", range(4))
def test_a_projector_that_begins_anew_goes_on_with_it(service: Service, at: int) -> None:
    strict = StrictImport(service, GAMES)
    ids: list[str] = []
    for step in range(3):
        if step == at:
            projector_of(service)
        ids += strict.take_in(2)
        project(projector_of(service))
        assert count_seen(service, ids) == {0}
    strict.end(ImportEnding.DONE)
    project(projector_of(service))
    assert count_seen(service, ids) == {GAMES}
    check_rebuilt(service)


@pytest.mark.parametrize("backlog", [0, 1000], ids=["before its turn", "in turn"])
def test_a_projector_that_comes_late_shows_them_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch, backlog: int
) -> None:
    for module in (batches, projecting):
        monkeypatch.setattr(module, "GAMES", 2)
    # Without a backlog, the import's end and changes to its games are projected before the games.
    monkeypatch.setattr(urgent_updates, "BACKLOG", backlog)
    strict = StrictImport(service, GAMES)
    ids = strict.take_all_in()
    correct(service.games, ids[0], "0-1")
    seen: list[set[int]] = []

    def look() -> bool:
        seen.append(count_seen(service, ids))
        return False

    project(projector_of(service, look))
    look()
    assert len(seen) > 3
    assert seen[0] == {0}
    assert seen[-1] == {GAMES}
    assert all(one in ({0}, {GAMES}) for one in seen)
    check_rebuilt(service)


def test_a_projector_that_died_just_before_it_showed_them_does_so_without_news(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = StrictImport(service, GAMES)
    ids = strict.take_all_in()
    with monkeypatch.context() as patched:
        patched.setattr(HeldImports, "due", lambda self, written: [])
        project(projector_of(service))
    assert count_seen(service, ids) == {0}
    assert service.checkpoints.count_behind(service.log) == 0
    assert projector_of(service).step(0) == 0
    assert count_seen(service, ids) == {GAMES}


def test_of_an_import_that_failed_nothing_appears_until_its_file_is_imported(
    service: Service,
) -> None:
    projector = projector_of(service)
    failed = StrictImport(service, GAMES)
    ids = failed.take_in(4)
    failed.end(ImportEnding.FAILED)
    project(projector)
    assert count_seen(service, ids) == {0}
    rebuild(service)
    assert count_seen(service, ids) == {0}
    projector = projector_of(service)
    another = StrictImport(service, GAMES + 1)
    # Another file brings in the remaining games.
    another.take_all_in()
    project(projector)
    seen = {stream.id for stream in service.log.streams("game")} - set(ids)
    assert len(seen) == GAMES + 1 - 4
    assert {game.id for game in service.search.page(Query()).games} == seen
    again = StrictImport(service, GAMES)
    assert set(ids) < set(again.take_all_in())
    project(projector)
    projector.retry_dead_letters()
    project(projector)
    assert count_seen(service, [*ids, *seen]) == {GAMES + 1}
    check_rebuilt(service)


def test_what_is_done_to_a_game_meanwhile_shows_with_it(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    corrected, annotated, *ids = strict.take_in(4)
    project(projector)
    correct(service.games, corrected, "0-1")
    command = AnnotateAction(ply=1, annotation=Annotation(after=("late",)))
    service.games.execute(annotated, command, SCRIBE)
    assert service.games.load(annotated).version == 2
    project(projector)
    assert count_seen(service, [corrected, annotated, *ids]) == {0}
    ids += [corrected, annotated, *strict.take_all_in()]
    project(projector)
    assert count_seen(service, ids) == {GAMES}
    assert [game.id for game in service.search.page(Query(result="0-1")).games] == [corrected]
    assert service.explorer.explore(AT_START).total.results["0-1"] == 1
    check_rebuilt(service)


def test_players_who_are_merged_meanwhile_have_the_games(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    ids = strict.take_in(2)
    project(projector)
    first, _ = service.games.load(ids[0]).seats
    assert first is not None
    into = service.players.unclaimed("Somebody", "admin")
    service.players.merge(first, into, "admin")
    project(projector)
    ids += strict.take_all_in()
    project(projector)
    own = {id for id in ids if first in service.games.load(id).seats}
    assert own == {game.id for game in service.search.page(Query(player=into)).games}
    assert own == {game.id for game in service.search.page(Query(player=first)).games}
    check_rebuilt(service)


def test_a_table_of_openings_that_is_loaded_meanwhile_names_them(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    ids = strict.take_in(2)
    service.openings.replace([Opening("katruji", "Gate", ("Pd1",), None)], "op")
    project(projector)
    Classification(service.database).run()
    ids += strict.take_in(2)
    project(projector)
    named = Query(opening="Gate")
    assert service.search.page(named).games == []
    ids += strict.take_all_in()
    project(projector)
    assert {game.id for game in service.search.page(named).games} == set(ids)
    check_rebuilt(service)


def test_no_earlier_game_is_one_that_is_held_back(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    ids = strict.take_in(2)
    another = StrictImport(service, GAMES, ImportMode.QUARANTINE)
    known = [id for id in another.take_all_in() if id not in ids]
    assert len(known) == GAMES - 2
    project(projector)
    oldest_first = [game.id for game in service.search.page(Query()).games][::-1]
    assert set(oldest_first) == set(known)
    for place, id in enumerate(oldest_first):
        novelty = find_novelty(service.database, service.games.load(id))
        assert novelty.games == place
        assert novelty.last is None or novelty.last.id == oldest_first[place - 1]


def test_the_number_of_a_game_that_is_held_back_is_taken(service: Service) -> None:
    projector = projector_of(service)
    (id,) = StrictImport(service, 1).take_in(1)
    project(projector)
    ((number, *_),) = dump(service.database, "held_game")["held_game"]
    created_at = service.games.load(id).created_at
    twin = id[:5] + "zzz"
    found = service.database.write(lambda c: assign_numbers(c, [(twin, created_at)]))
    assert found == {twin: number + 1}


def test_a_rebuild_holds_back_what_is_not_complete(service: Service) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    ids = strict.take_in(3)
    project(projector)
    rebuild(service)
    assert count_seen(service, ids) == {0}
    # The projector goes on in the new generation.
    ids += strict.take_in(1)
    project(projector)
    assert count_seen(service, ids) == {0}
    ids += strict.take_all_in()
    project(projector)
    assert count_seen(service, ids) == {GAMES}
    check_rebuilt(service)


@pytest.mark.parametrize("waits", [False, True])
def test_an_import_that_ends_during_a_rebuild_stays_seen(
    service: Service, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    projector = projector_of(service)
    strict = StrictImport(service, GAMES)
    ids = strict.take_in(3)
    project(projector)

    def end_now(done: int, total: int) -> None:
        """The new generation has only some of the games by now; the current one shows all."""
        ids.extend(strict.take_all_in())
        project(projector)
        assert count_seen(service, ids) == {GAMES}
        if waits:
            monkeypatch.setattr(HeldImports, "due", lambda self, written: [])

    rebuild(service, end_now)
    assert count_seen(service, ids) == {GAMES}
    monkeypatch.undo()
    project(projector)
    check_rebuilt(service)
