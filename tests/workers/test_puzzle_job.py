"""Puzzles are found once in games that are over and analysed, whichever came first."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest

from service.analysis.parameters import Parameters
from service.composition.projector import compose_projector, rebuild
from service.composition.service import Service
from service.game.commands import AcceptChallenge, CreateGame, PlayAction
from service.imports.commands import BeginImport, EndImport
from service.imports.decompression import Packing
from service.imports.origin import ORIGIN, name_source, write_origin
from service.imports.state import ImportEnding, ImportMode
from service.jobs import fair_queue
from service.jobs.duties import Lane
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import ANALYSIS, PUZZLES, SCORING
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import LEASE, Jobs
from service.log.values import Append
from service.player.actor import Actor
from service.projection.puzzles.puzzle_list import PuzzleSource
from service.projection.puzzles.puzzles import write_collection
from service.puzzles.finding import PlayedPosition, PuzzleFinder
from service.puzzles.found.state import stream_of
from service.reactions.puzzle_jobs import PuzzleJobs
from tests.service.analysis.support import game as make_subject
from tests.service.projection.support import dump, end
from tests.service.puzzles.planted import (
    BLUNDER,
    PLANTED,
    PLY,
    PUNISHED,
    START,
    begin_planted,
    play_planted,
)
from workers import own_queues, puzzle_job, stop_request
from workers.job_functions import FUNCTIONS
from workers.run import carry_out, take_turn
from workers.task import Task

ENOUGH = Parameters(nodes=3_000)
MORE = Parameters(nodes=4_000)
TABLES = ("found_puzzle", "puzzle", "puzzle_theme", "searched_game")


class Killed(BaseException):
    """Simulates a worker that is killed."""


def analyse(service: Service, game: str = "g") -> str:
    """Have a whole game analysed; returns the analysis's id."""
    subject = make_subject(service.analyses, service.games, game, parameters=ENOUGH)
    id = service.analyses.request(subject, "ada", batch=False).id
    assert carry_out(id, service, service.jobs, FUNCTIONS)
    # A worker has taken its hint.
    take_hints(service)
    return id


def take_hints(service: Service) -> None:
    """Remove all hints of analyses that people wait for."""
    queue = service.analyses.queue
    for id in queue.waiting(Lane.PERSON):
        queue.queues[Lane.PERSON].remove(id)


def project(service: Service) -> None:
    """Run the projector over everything new, with its reactions, as its process does."""
    write_collection(service.database)
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    while projector.step(0.001):
        pass


def list_jobs(service: Service) -> list[str]:
    """The queued jobs that look for puzzles."""
    return service.jobs.due([PUZZLES])


def work(service: Service, id: str | None = None) -> Job:
    """Carry out a job, by default the only one queued, and return it."""
    if id is None:
        (id,) = list_jobs(service)
    take_turn(id, service)
    return service.jobs.get(id)


def die(service: Service, id: str) -> None:
    """Let a worker die during the job, and the reconciler take the job back."""
    with pytest.raises(Killed):
        work(service, id)
    later = Jobs(service.store, lambda: service.jobs.clock() + LEASE)
    Reconciler(JobQueue(later, service.store)).run()


def count_events(service: Service, game: str = "g") -> int:
    return service.log.version(stream_of(game))


@pytest.fixture(autouse=True)
def _an_analyst(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run as in a process for analyses."""
    monkeypatch.setattr(own_queues, "_lanes", (Lane.PERSON, Lane.BATCH))


@pytest.fixture
def analysed(service: Service) -> Service:
    """A service with the planted game, over and analysed, and its puzzle job queued."""
    play_planted(service.games, "g")
    analyse(service)
    project(service)
    return service


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collects the examined positions, by the action before each."""
    seen: list[str] = []
    examine = PuzzleFinder.examine

    def note(finder: PuzzleFinder, here: PlayedPosition) -> Any:
        assert here.last is not None
        seen.append(here.last)
        return examine(finder, here)

    monkeypatch.setattr(PuzzleFinder, "examine", note)
    return seen


@pytest.mark.slow
def test_a_planted_tactic_becomes_a_puzzle(analysed: Service) -> None:
    job = work(analysed)
    assert (job.state, job.outcome) == (JobState.DONE, {"found": 1})
    assert job.batch
    assert job.arguments["by"] == "ada"
    project(analysed)
    listed = analysed.puzzle_list.find(PLANTED.id)
    assert listed.puzzle.fen == PLANTED.fen
    assert (listed.puzzle.last, listed.puzzle.line[0]) == (BLUNDER, PUNISHED)
    assert listed.puzzle.themes
    assert analysed.puzzle_list.find_source(PLANTED.id) == PuzzleSource("g", PLY)
    before = dump(analysed.database, *TABLES)
    rebuild(analysed)
    assert dump(analysed.database, *TABLES) == before


def test_the_same_job_twice_finds_nothing_twice(analysed: Service, examined: list[str]) -> None:
    id = work(analysed).id
    seen = list(examined)
    analysed.jobs.requeue(id)
    assert work(analysed).outcome == {"found": 0}
    assert (count_events(analysed), examined) == (1, seen)
    # A second reaction to the same analysis adds no job.
    analysed.puzzle_jobs.submit(analysed.analyses.load(analysed.jobs.get(id).arguments["analysis"]))
    assert list_jobs(analysed) == []


def test_another_analysis_looks_for_what_is_missing_alone(
    analysed: Service, examined: list[str]
) -> None:
    assert work(analysed).outcome == {"found": 1}
    seen = list(examined)
    other = make_subject(analysed.analyses, analysed.games, "g", parameters=MORE)
    id = analysed.analyses.request(other, "ada", batch=False).id
    assert carry_out(id, analysed, analysed.jobs, FUNCTIONS)
    take_hints(analysed)
    assert BLUNDER in seen
    one = replace(analysed, settings=replace(analysed.settings, puzzles_per_game=1))
    assert run(one, id) == 0
    assert (count_events(analysed), examined) == (1, seen)
    assert run(analysed, id, "again") == 0
    assert BLUNDER not in examined[len(seen) :]


@pytest.mark.slow
def test_a_worker_that_dies_loses_nothing_and_doubles_nothing(
    analysed: Service, examined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = type(analysed.found_puzzles).record

    def killed(*told: Any) -> Any:
        raise Killed

    (id,) = list_jobs(analysed)
    monkeypatch.setattr(type(analysed.found_puzzles), "record", killed)
    die(analysed, id)
    assert count_events(analysed) == 0
    monkeypatch.setattr(type(analysed.found_puzzles), "record", record)
    assert work(analysed, id).outcome == {"found": 1}
    assert count_events(analysed) == 1
    project(analysed)
    assert analysed.puzzle_list.find(PLANTED.id).puzzle.fen == PLANTED.fen
    # Only the position at the checkpoint is examined again.
    assert examined == [*dict.fromkeys(examined), examined[-1]]


def test_a_position_that_ends_its_workers_is_left_out(
    analysed: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def killed(*told: Any) -> Any:
        raise Killed

    (id,) = list_jobs(analysed)
    monkeypatch.setattr(PuzzleFinder, "examine", killed)
    for _ in range(puzzle_job.DEATHS):
        die(analysed, id)
        assert analysed.jobs.get(id).checkpoint == {"ply": PLY, "found": []}
    with caplog.at_level(logging.WARNING):
        assert work(analysed, id).outcome == {"found": 0}
    assert f"game g, ply {PLY}: left out" in caplog.text


@pytest.mark.slow
def test_a_job_that_is_told_to_stop_goes_on_where_it_was(
    analysed: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id,) = list_jobs(analysed)
    examine = PuzzleFinder.examine

    def interrupt(finder: PuzzleFinder, here: Any) -> Any:
        monkeypatch.setattr(stop_request, "is_requested", lambda: True)
        return examine(finder, here)

    monkeypatch.setattr(PuzzleFinder, "examine", interrupt)
    monkeypatch.setattr("workers.search_progress.REPORT", 0.0)
    take_turn(id, analysed)
    assert analysed.jobs.get(id).state is JobState.QUEUED
    assert count_events(analysed) == 0
    monkeypatch.setattr(stop_request, "is_requested", lambda: False)
    monkeypatch.setattr(PuzzleFinder, "examine", examine)
    assert work(analysed, id).outcome == {"found": 1}


@pytest.mark.slow
def test_it_steps_aside_for_who_waits_for_an_analysis(analysed: Service) -> None:
    (id,) = list_jobs(analysed)
    queue = analysed.analyses.queue
    queue.jobs.create("asked", ANALYSIS, {"by": "bob"})
    queue.hint("asked", Lane.PERSON)
    take_turn(id, analysed)
    assert analysed.jobs.get(id).state is JobState.QUEUED
    assert id in queue.waiting(Lane.BATCH)
    take_hints(analysed)
    assert work(analysed, id).outcome == {"found": 1}


def test_players_take_turns(analysed: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    (id,) = list_jobs(analysed)
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    analysed.analyses.queue.submit("other", PUZZLES, {"by": "bob"}, batch=True)
    turns = analysed.puzzle_jobs.fair_queue
    assert turns.begin(id) == id
    assert turns.is_over(analysed.jobs.get(id), 100.0)
    turns.end(id, 100.0)
    assert turns.begin(id) == "other"


@pytest.mark.slow
def test_a_game_that_ends_behind_its_analysis_is_searched_then(service: Service) -> None:
    begin_planted(service.games, "g")
    analyse(service)
    project(service)
    assert list_jobs(service) == []
    end(service.games, "g", "0-1")
    service.jobs.create("scoring", SCORING, {"games": ["g"]})
    assert carry_out("scoring", service, service.jobs, FUNCTIONS)
    assert work(service).outcome == {"found": 1}


def test_a_game_that_went_on_behind_its_analysis_gives_none(service: Service) -> None:
    begin_planted(service.games, "g", (BLUNDER,))
    id = analyse(service)
    service.games.execute("g", PlayAction(token=PUNISHED), Actor("scribe", frozenset({"play"})))
    end(service.games, "g", "0-1")
    project(service)
    assert list_jobs(service) == []
    assert not run(service, id)


def run(service: Service, analysis: str, id: str = "job") -> int:
    """The number of puzzles that a job finds when queued regardless."""
    service.jobs.create(id, PUZZLES, {"analysis": analysis, "game": "g"}, batch=True)
    job = service.jobs.claim(id, "owner")
    assert job is not None
    return int(puzzle_job.find_puzzles(Task(service, service.jobs, job))["found"])


def test_a_game_that_is_not_over_gives_none(service: Service) -> None:
    begin_planted(service.games, "g")
    assert run(service, analyse(service)) == 0
    assert count_events(service) == 0


def test_a_private_challenge_gives_none(service: Service) -> None:
    ann, bob = (Actor(name, frozenset({"play"})) for name in ("ann", "bob"))
    command = CreateGame(
        variant="katruji", mode="challenge", first="ann", second="bob", fen=START,
        visibility="private",
    )  # fmt: skip
    service.games.create("g", command, ann)
    service.games.execute("g", AcceptChallenge(), bob)
    for actor, token in ((ann, BLUNDER), (bob, PUNISHED)):
        service.games.execute("g", PlayAction(token=token), actor)
    end(service.games, "g", "0-1")
    id = analyse(service)
    project(service)
    assert list_jobs(service) == []
    assert run(service, id) == 0


@pytest.mark.slow
def test_a_game_that_a_strict_import_holds_back_gives_none(service: Service) -> None:
    play_planted(service.games, "g")
    begin = BeginImport(mode=ImportMode.STRICT, size=7, sha256="0" * 64, packing=Packing.NONE)
    service.imports.create("import", begin, Actor("ada"))
    origin = write_origin("f00", name_source("import", 1))
    stream = service.games.stream("g")
    service.log.append(
        Append(
            stream=stream, expected=service.log.version(stream), events=(), at=0, by="",
            attributes={ORIGIN: origin},
        )
    )  # fmt: skip
    id = analyse(service)
    assert run(service, id) == 0
    ended = EndImport(ending=ImportEnding.DONE, counts={"accepted": 1}, passed=7)
    service.imports.execute("import", ended, Actor("ada"))
    service.jobs.create("again", PUZZLES, {"analysis": id, "game": "g", "by": "ada"}, batch=True)
    take_turn("again", service)
    assert service.jobs.get("again").outcome == {"found": 1}


def test_no_more_are_looked_for_than_the_operator_wants(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_planted(service.games, "g")
    id = analyse(service)
    none = replace(
        service,
        settings=replace(service.settings, puzzles_per_game=0),
        puzzle_jobs=PuzzleJobs(service.analyses, wanted=False),
    )
    project(none)
    none.puzzle_jobs.submit_ended(["g"])
    assert list_jobs(none) == []
    assert run(none, id) == 0
    assert count_events(none) == 0
