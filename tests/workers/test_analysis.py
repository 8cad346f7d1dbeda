from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
import redis

from service.analysis import pace
from service.analysis.errors import AnalysisOver
from service.analysis.events import (
    AnalysisBegun,
    AnalysisEnded,
    PositionAnalysed,
    PositionQuarantined,
)
from service.analysis.finding import Finding
from service.analysis.pace import SLOW
from service.analysis.parameters import Parameters
from service.analysis.search import search_position
from service.analysis.state import AnalysisEnding, AnalysisState, stream_of
from service.analysis.status import name_status
from service.analysis.target import SearchedPosition
from service.composition.service import Service
from service.errors import NotFound
from service.game.state import GameState
from service.jobs import fair_queue
from service.jobs.duties import Lane
from service.jobs.job import JobState
from service.jobs.job_kinds import DELIVERY, SCORING, STALE
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import LEASE, Jobs
from service.webhooks.webhook import ANALYSIS_FINISHED
from tests.service.analysis.support import SMALL, game, position
from tests.service.projection.support import create, end, play
from workers import analysis as analysis_job
from workers import run, search_progress, stop_request
from workers.job_functions import FUNCTIONS
from workers.run import carry_out, take_turn

PLIES = 4
Searched = list[tuple[str, str | None]]


class Killed(BaseException):
    """Simulates a worker that is killed."""


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> Searched:
    """Collects the positions that are searched, with the action played in each."""
    seen: Searched = []

    def counted(*arguments: Any) -> Iterator[Finding]:
        variant, place, *_ = arguments
        seen.append((variant, place.played))
        return search_position(*arguments)

    monkeypatch.setattr(analysis_job, "search_position", counted)
    return seen


def killing(monkeypatch: pytest.MonkeyPatch, when: Callable[[SearchedPosition], bool]) -> None:
    """Kill workers while they search a matching position."""

    def deadly(*arguments: Any) -> Iterator[Finding]:
        for finding in search_position(*arguments):
            if when(arguments[1]):
                raise Killed
            yield finding

    monkeypatch.setattr(analysis_job, "search_position", deadly)


@pytest.fixture
def service(service: Service) -> Service:
    """A service with a finished game of PLIES actions."""
    create(service.games, "g")
    play(service.games, "g", PLIES)
    end(service.games, "g", "1-0")
    return service


def asked(service: Service, *, batch: bool = False, parameters: Parameters = SMALL) -> str:
    """Request an analysis of the whole game and return its id."""
    subject = game(service.analyses, service.games, "g", parameters=parameters)
    return service.analyses.request(subject, "ada", batch=batch).id


def work(service: Service, id: str) -> AnalysisState:
    """Carry the job out as a worker, and return the analysis."""
    carry_out(id, service, service.jobs, FUNCTIONS)
    return service.analyses.load(id)


def die(service: Service, id: str) -> None:
    """Let a worker die during the job, and the reconciler take the job back."""
    with pytest.raises(Killed):
        work(service, id)
    later = Jobs(service.store, lambda: service.jobs.clock() + LEASE)
    Reconciler(JobQueue(later, service.store)).run()


def events(service: Service, id: str) -> list[tuple[str, int | None]]:
    """The events of an analysis, with the positions' indices."""
    return [
        (type(entry.event).__name__, getattr(entry.event, "index", None))
        for entry in service.log.read(stream_of(id))
    ]


WHOLE = [
    (AnalysisBegun.__name__, None),
    *((PositionAnalysed.__name__, index) for index in range(PLIES + 1)),
    (AnalysisEnded.__name__, None),
]


def test_a_game_is_analysed_position_by_position(service: Service, searched: Searched) -> None:
    state = work(service, id := asked(service))
    assert events(service, id) == WHOLE
    assert state.ended == AnalysisEnded(state="done")
    assert len(searched) == PLIES + 1
    played = [one.coordinate for one in service.games.load("g").played]
    assert [one.finding and one.finding.played for one in state.looked] == [*played, None]
    job = service.jobs.get(id)
    assert (job.state, job.outcome) == (JobState.DONE, {"state": "done", "done": PLIES + 1})
    assert job.arguments == {
        "by": "ada",
        "variant": "katruji",
        "positions": PLIES + 1,
        "limits": {"nodes": SMALL.nodes},
        "seconds": (PLIES + 1) * 300 / SLOW,
    }
    assert work(service, id) == state


def test_the_same_request_is_searched_once(service: Service, searched: Searched) -> None:
    first = service.analyses.request(position(service.analyses, by="ada"), "ada", batch=False)
    assert (
        service.analyses.request(position(service.analyses, by="bob"), "bob", batch=True) == first
    )
    done = work(service, first.id)
    again = service.analyses.request(position(service.analyses, by="eve"), "eve", batch=False)
    assert (again, len(searched)) == (done, 1)


def test_the_same_position_is_found_the_same_again(service: Service) -> None:
    found = []
    for build in ("one", "other"):
        service.analyses.build = build
        state = work(
            service, service.analyses.request(position(service.analyses), "a", batch=False).id
        )
        [looked] = state.looked
        assert looked.finding is not None
        found.append(replace(looked.finding, seconds=0))
    assert found[0] == found[1]


def test_killed_twice_nothing_is_searched_again_but_the_ply_that_was_lost(
    service: Service, monkeypatch: pytest.MonkeyPatch, searched: Searched
) -> None:
    monkeypatch.setattr(analysis_job, "REPORT", 0.0)
    id = asked(service)
    counted: Callable[..., Iterator[Finding]] = vars(analysis_job)["search_position"]
    deaths = iter([2, 3])
    deadly = next(deaths)

    def look_and_die(*arguments: Any) -> Iterator[Finding]:
        nonlocal deadly
        yield from counted(*arguments)
        if service.analyses.load(id).done == deadly:
            deadly = next(deaths, -1)
            raise Killed

    monkeypatch.setattr(analysis_job, "search_position", look_and_die)
    die(service, id)
    die(service, id)
    work(service, id)
    assert events(service, id) == WHOLE
    assert len(searched) == PLIES + 1 + 2


def test_positions_that_are_searched_quickly_are_written_down_together(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_job, "REPORT", 3600.0)
    id = asked(service)
    record, written = service.analyses.record, []

    def note(state: AnalysisState, findings: Sequence[Finding]) -> AnalysisState:
        written.append(len(findings))
        return record(state, findings)

    monkeypatch.setattr(service.analyses, "record", note)
    work(service, id)
    assert written == [1, PLIES]
    assert events(service, id) == WHOLE


def test_what_was_found_is_written_down_while_a_long_search_goes_on(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_job, "REPORT", 3600.0)
    id = asked(service)
    done: list[int] = []

    def look_slowly(*arguments: Any) -> Iterator[Finding]:
        stop = arguments[3]
        done.append(service.analyses.load(id).done)
        assert not stop()
        done.append(service.analyses.load(id).done)
        yield from search_position(*arguments)

    monkeypatch.setattr(search_progress, "REPORT", 0.0)
    monkeypatch.setattr(analysis_job, "search_position", look_slowly)
    work(service, id)
    assert done == [0, 0, 1, 1, 1, 2, 2, 3, 3, 4]
    assert events(service, id) == WHOLE


def test_a_position_that_kills_twice_is_quarantined_and_the_rest_goes_on(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = asked(service)
    bad = service.games.load("g").played[1].coordinate
    killing(monkeypatch, lambda place: place.played == bad)
    die(service, id)
    die(service, id)
    state = work(service, id)
    assert events(service, id) == [
        *WHOLE[:2],
        (PositionQuarantined.__name__, 1),
        *WHOLE[3:],
    ]
    assert state.ended == AnalysisEnded(state="done")
    assert "ended 2 workers" in state.looked[1].reason
    assert "died or hung" in state.looked[1].reason


def test_deaths_count_where_the_job_was_not_told_how_far_it_was(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_job, "REPORT", 3600.0)
    id = asked(service)
    bad = service.games.load("g").played[2].coordinate
    killing(monkeypatch, lambda place: place.played == bad)
    die(service, id)
    # The findings between the first position and the death are lost.
    assert (service.jobs.get(id).checkpoint, service.analyses.load(id).done) == (1, 1)
    die(service, id)
    # After a death, each position is in the log before the next one is searched.
    assert service.analyses.load(id).done == 2
    die(service, id)
    state = work(service, id)
    assert events(service, id) == [*WHOLE[:3], (PositionQuarantined.__name__, 2), *WHOLE[4:]]
    assert "ended 2 workers" in state.looked[2].reason


def test_deaths_at_other_positions_do_not_add_up(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the job's progress is reported only when it must be, the job is not given up."""
    monkeypatch.setattr(analysis_job, "REPORT", 3600.0)
    id = asked(service)
    played = iter([one.coordinate for one in service.games.load("g").played])
    bad = next(played)
    killing(monkeypatch, lambda place: place.played == bad)
    for after in (*played, ""):
        die(service, id)
        bad = after
    monkeypatch.setattr(analysis_job, "search_position", search_position)
    work(service, id)
    assert events(service, id) == WHOLE


def test_a_quick_search_that_is_stopped_has_lost_its_job_and_fails_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = asked(service)

    def stop_then_find(*arguments: Any) -> Iterator[Finding]:
        service.analyses.stop(service.analyses.load(id))
        yield from search_position(*arguments)

    monkeypatch.setattr(analysis_job, "search_position", stop_then_find)
    state = work(service, id)
    assert state.ended == AnalysisEnded(state="cancelled")
    job = service.jobs.get(id)
    assert (job.state, job.reason) == (JobState.CANCELLED, "")


def test_how_fast_positions_were_searched_is_remembered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "LEAST_NODES", 1)
    work(service, asked(service))
    noted: Any = service.store.lrange("movelog:{analyses}:pace:katruji", 0, -1)
    assert len(noted) == PLIES + 1


def test_the_only_position_that_kills_is_the_end_of_its_analysis(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    killing(monkeypatch, lambda place: True)
    id = service.analyses.request(position(service.analyses), "ada", batch=False).id
    die(service, id)
    die(service, id)
    state = work(service, id)
    assert state.ended is not None
    assert state.ended.state == "quarantined"
    assert "ended 2 workers" in state.ended.reason
    assert service.analyses.request(position(service.analyses), "ada", batch=False) == state


def test_an_error_counts_as_a_death(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any) -> Iterator[Finding]:
        raise ValueError("no such square")

    monkeypatch.setattr(analysis_job, "search_position", fails)
    later = replace(service, jobs=Jobs(service.store, lambda: 10**15))
    id = service.analyses.request(position(service.analyses), "ada", batch=False).id
    for _ in range(2):
        carry_out(id, later, later.jobs, FUNCTIONS)
    assert service.analyses.load(id).ended is None
    carry_out(id, later, later.jobs, FUNCTIONS)
    ended = service.analyses.load(id).ended
    assert ended is not None
    assert "ValueError: no such square" in ended.reason


def test_a_worker_that_is_told_to_stop_loses_its_position_alone(
    service: Service, monkeypatch: pytest.MonkeyPatch, searched: Searched
) -> None:
    id = asked(service, parameters=Parameters(seconds=600))
    monkeypatch.setattr(stop_request, "is_requested", lambda: len(searched) > 0)
    begun = time.monotonic()
    assert work(service, id).looked == ()
    assert time.monotonic() - begun < 60
    job = service.jobs.get(id)
    assert (job.state, job.tries, job.checkpoint) == (JobState.QUEUED, 0, 0)


def test_what_is_stopped_while_it_is_searched_keeps_what_there_is(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = service.analyses.request(
        position(service.analyses, Parameters(seconds=600)), "ada", batch=False
    ).id
    beat = service.jobs.heartbeat

    def stop_after_a_note(job: Any, done: int, total: int, note: Any = None) -> None:
        beat(job, done, total, note)
        if note is not None:
            state = service.analyses.load(id)
            assert name_status(state, service.jobs.get(id)) == "running"
            service.analyses.stop(state)

    jobs = service.jobs
    monkeypatch.setattr(jobs, "heartbeat", stop_after_a_note)
    begun = time.monotonic()
    state = work(service, id)
    assert time.monotonic() - begun < 60
    assert state.ended == AnalysisEnded(state="cancelled")
    [looked] = state.looked
    assert looked.cut
    assert looked.finding is not None
    assert looked.finding.lines
    assert (state.done, jobs.get(id).state) == (0, JobState.CANCELLED)
    with pytest.raises(AnalysisOver, match="cancelled"):
        service.analyses.stop(state)


def test_what_was_stopped_goes_on_where_it_was(service: Service, searched: Searched) -> None:
    id = asked(service)
    state = service.analyses.stop(service.analyses.load(id))
    assert work(service, id) == state
    assert asked(service) == id
    state = work(service, id)
    assert state.ended == AnalysisEnded(state="done")
    assert len(searched) == PLIES + 1


def test_a_batch_steps_aside_when_somebody_waits(service: Service, searched: Searched) -> None:
    id = asked(service, batch=True)
    service.analyses.queue.submit("other", SCORING, {})
    assert work(service, id).done == 1
    assert service.jobs.get(id).state is JobState.QUEUED
    assert service.analyses.queue.ahead(id) == 0
    # The same request from a person no longer waits as a batch.
    assert asked(service) == id
    assert id in service.analyses.queue.queues[Lane.PERSON].get_job_ids()
    assert not service.jobs.get(id).batch
    assert work(service, id).ended is not None
    assert len(searched) == PLIES + 1


def take_hint(service: Service) -> str | None:
    """Take the next hint as a worker does; returns its job's id, None without a hint."""
    lane = service.analyses.queue.queues[Lane.PERSON]
    if not (ids := lane.get_job_ids()):
        return None
    lane.remove(ids[0])
    take_turn(ids[0], service)
    return str(ids[0])


def test_a_hint_at_another_workers_job_does_not_end_its_turn(service: Service) -> None:
    """A regression: the time that the other worker took was not counted."""
    turns, id = service.analyses.fair_queue, asked(service)
    assert turns.begin(id) == id
    assert service.jobs.claim(id, "another")
    take_turn(id, service)
    turns.end(id, 60)
    assert turns.used(["ada"]) == {"ada": 60_000}


def test_who_asks_for_little_does_not_wait_for_all_that_another_has_asked_for(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    large = [asked(service, parameters=replace(SMALL, seed=seed)) for seed in range(4)]
    assert take_hint(service)
    begun = {id: service.analyses.load(id).done for id in large}
    small = position(service.analyses, replace(SMALL, seed=9), by="bob")
    id = service.analyses.request(small, "bob", batch=False).id
    turns = 0
    while service.analyses.load(id).ended is None:
        assert take_hint(service)
        turns += 1
    # At most the position being searched when the request came is finished first.
    assert turns <= 2
    assert sum(service.analyses.load(one).done for one in large) <= sum(begun.values()) + 1
    while take_hint(service):
        pass
    assert all(service.analyses.load(one).ended for one in large)


def test_a_search_gives_way_between_positions(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "TURN", 0.0)
    large = asked(service)
    small: list[str] = []

    def meanwhile(*arguments: Any) -> Iterator[Finding]:
        if not small:
            other = position(service.analyses, replace(SMALL, seed=9), by="bob")
            small.append(service.analyses.request(other, "bob", batch=False).id)
        yield from search_position(*arguments)

    monkeypatch.setattr(analysis_job, "search_position", meanwhile)
    assert take_hint(service) == large
    state = service.analyses.load(large)
    assert (state.done, service.jobs.get(large).state) == (1, JobState.QUEUED)
    assert take_hint(service) == small[0]
    assert service.analyses.load(small[0]).ended is not None
    while take_hint(service):
        pass
    assert events(service, large) == WHOLE


def test_a_long_shift_ends_behind_a_position(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_job, "SHIFT", 0)
    id = asked(service)
    for done in range(1, PLIES + 1):
        assert work(service, id).done == done
    assert work(service, id).ended is not None


@pytest.mark.slow
def test_time_that_runs_out_gives_the_best_line_so_far(service: Service) -> None:
    subject = position(service.analyses, Parameters(seconds=1, depth=60), variant="kerak")
    state = work(service, service.analyses.request(subject, "ada", batch=False).id)
    [looked] = state.looked
    assert looked.finding is not None
    assert not looked.finding.complete
    assert looked.finding.lines[0].actions
    assert 0.5 < looked.finding.seconds < 30
    assert not looked.cut


def test_what_another_engine_was_asked_for_is_asked_of_this_one(service: Service) -> None:
    subject = position(service.analyses)
    now, service.analyses.build = service.analyses.build, "older"
    id = service.analyses.request(position(service.analyses), "ada", batch=True).id
    service.analyses.build = now
    state = work(service, id)
    assert state.ended is not None
    assert state.ended.state == "replaced"
    newer = service.analyses.address(subject)
    assert newer in state.ended.reason
    assert service.analyses.find_replacement(state) == newer
    assert service.jobs.get(newer).batch


def test_two_engines_at_once_do_not_keep_a_request_from_being_met(service: Service) -> None:
    """Each of two builds once replaced the other's analysis, and both stayed so for good."""
    analyses = service.analyses
    older, now = "older", analyses.build
    analyses.build = older
    first = analyses.request(position(analyses), "ada", batch=False)
    analyses.build = now
    assert analyses.address(position(analyses)) in ended_as(service, first.id, "replaced")
    second = analyses.address(position(analyses))
    analyses.build = older
    assert first.id in ended_as(service, second, "replaced")
    assert analyses.load(first.id).ended is not None
    analyses.build = now
    assert not analyses.is_through(second)
    assert analyses.request(position(analyses), "ada", batch=False).id == second
    ended_as(service, second, "done")


def ended_as(service: Service, id: str, ending: str) -> str:
    """Carry out an analysis, which has to end like this; returns the reason."""
    ended = work(service, id).ended
    assert ended is not None
    assert ended.state == ending
    return ended.reason


def test_only_what_is_stale_is_analysed_again(service: Service, searched: Searched) -> None:
    now, service.analyses.build = service.analyses.build, "older"
    stale = [
        asked(service),
        service.analyses.request(position(service.analyses), "a", batch=False).id,
    ]
    for id in stale:
        work(service, id)
    queued = service.analyses.request(
        position(service.analyses, Parameters(depth=2)), "a", batch=False
    ).id
    service.analyses.build = now
    fresh = work(service, asked(service)).id
    service.jobs.create("renew", STALE, {})
    carry_out("renew", service, service.jobs, FUNCTIONS)
    assert service.jobs.get("renew").outcome == {"asked": 1}
    assert service.jobs.get("renew").progress == (4, 4)
    one = service.analyses.address(position(service.analyses))
    assert {s.id for s in service.log.streams("analysis")} == {*stale, queued, fresh, one}
    assert service.analyses.load(one).begun.build == now
    service.jobs.create("again", STALE, {})
    carry_out("again", service, service.jobs, FUNCTIONS)
    assert service.jobs.get("again").outcome == {"asked": 0}


def test_what_cannot_be_asked_for_again_is_told(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(id: str, version: int) -> GameState:
        raise NotFound("game", id)

    service.analyses.build = "older"
    id = work(service, asked(service)).id
    service.analyses.build = "newer"
    monkeypatch.setattr(service.games, "at_version", lost)
    service.jobs.create("renew", STALE, {})
    carry_out("renew", service, service.jobs, FUNCTIONS)
    job = service.jobs.get("renew")
    assert job.state is JobState.FAILED
    assert list(job.outcome["errors"]) == [id]


def test_whoever_asked_is_told_of_the_end_once(service: Service) -> None:
    hook = service.webhooks.register("ada", "http://localhost/", (ANALYSIS_FINISHED,), False)
    other = service.webhooks.register("bob", "http://localhost/", (ANALYSIS_FINISHED,), False)
    id = asked(service)
    work(service, id)
    service.jobs.requeue(id)
    work(service, id)
    deliveries = [service.jobs.get(job) for job in service.jobs.due()]
    [told] = [job.arguments for job in deliveries if job.kind == "delivery"]
    assert told["webhook"] == hook.id != other.id
    assert '"state":"done"' in told["body"]
    assert '"game":"g"' in told["body"]


def test_nobody_is_told_of_an_analysis_that_was_cancelled(service: Service) -> None:
    """Even if the job is still done, as when it began at the same moment."""
    service.webhooks.register("ada", "http://localhost/", (ANALYSIS_FINISHED,), False)
    id = asked(service)
    analyses = service.analyses
    analyses.end(analyses.load(id), AnalysisEnding.CANCELLED, "")
    assert work(service, id).ended is not None
    assert service.jobs.get(id).state is JobState.DONE
    assert service.jobs.waiting([DELIVERY]).queued == 0


def test_a_store_that_goes_away_is_no_fault_of_what_is_asked_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store error sends the job back, instead of reporting unreadable analyses as lost."""

    def away(id: str, version: int) -> GameState:
        raise redis.ConnectionError("away")

    service.analyses.build = "older"
    work(service, asked(service))
    service.analyses.build = "newer"
    monkeypatch.setattr(service.games, "at_version", away)
    monkeypatch.setattr(run, "PAUSE", 0)
    service.jobs.create("renew", STALE, {})
    carry_out("renew", service, service.jobs, FUNCTIONS)
    job = service.jobs.get("renew")
    assert (job.state, job.tries, job.reason) == (JobState.QUEUED, 0, "")
