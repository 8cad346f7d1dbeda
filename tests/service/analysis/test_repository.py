from __future__ import annotations

from dataclasses import replace

import pytest
import redis

from service.analysis.errors import AnalysisOver
from service.analysis.parameters import Parameters
from service.analysis.shown import OF_GAME
from service.analysis.state import KIND, AnalysisEnding, AnalysisState
from service.analysis.target import make_position_subject
from service.composition.service import Service
from service.errors import NotFound, WrongExpectedVersion
from service.jobs.duties import Lane
from service.jobs.job import JobState
from service.log.errors import Overtaken
from service.log.values import Append, StreamId
from service.operations.backup import stream_ids
from service.operations.choice_key_rotation import rotate
from service.secrets.stored_keys import StoredKeys
from tests.service.analysis.support import SMALL, found, game, position, start_fen
from tests.service.projection.support import create, play
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    """A service with a game of two actions."""
    service = service_on(redis_server)
    create(service.games, "g")
    play(service.games, "g", 2)
    return service


def asked(service: Service, parameters: Parameters = SMALL) -> str:
    """Ask for an analysis of the whole game; return its id."""
    subject = game(service.analyses, service.games, "g", parameters=parameters)
    return service.analyses.request(subject, "ada", batch=False).id


def test_everything_that_differs_makes_another_analysis(service: Service) -> None:
    analyses = service.analyses
    subject = position(analyses)
    others = [
        position(analyses, Parameters(nodes=301)),
        position(analyses, Parameters(nodes=300, seed=1)),
        position(analyses, variant="kerak"),
        replace(subject, begun=replace(subject.begun, view="stranger")),
        replace(subject, begun=replace(subject.begun, build="another")),
        replace(subject, begun=replace(subject.begun, rules="another")),
        replace(subject, whose=("player", "ada")),
        replace(subject, content=("another",)),
    ]
    ids = {analyses.address(one) for one in (subject, *others)}
    assert len(ids) == 1 + len(others)
    assert analyses.address(position(analyses, by="bob")) == analyses.address(subject)


def test_a_game_that_went_on_is_another_one(service: Service) -> None:
    first = asked(service)
    play(service.games, "g")
    second = asked(service)
    assert first != second
    assert service.analyses.load(first).begun.positions == 3
    assert service.analyses.shown.find("g", ["full"]).id == second


def test_what_was_whole_is_shown_until_the_newer_one_is(service: Service) -> None:
    analyses = service.analyses
    with pytest.raises(NotFound):
        analyses.shown.find("g", ["full"])
    state = analyses.load(asked(service))
    for _ in range(3):
        state = analyses.record(state, [found()])
    analyses.end(state, AnalysisEnding.DONE)
    newer = asked(service, Parameters(depth=1))
    assert analyses.shown.find("g", ["full"]).id == state.id
    analyses.end(analyses.load(newer), AnalysisEnding.DONE)
    assert analyses.shown.find("g", ["first", "full"]).id == newer
    with pytest.raises(NotFound):
        analyses.shown.find("g", ["first", "stranger"])


def carry_out(service: Service, id: str, nodes: int) -> None:
    """Find something in each position of an analysis, and end it."""
    state = service.analyses.load(id)
    for _ in range(state.begun.positions):
        state = service.analyses.record(state, [replace(found(), nodes=nodes)])
    service.analyses.end(state, AnalysisEnding.DONE)


@pytest.mark.parametrize("first_ends", [True, False])
def test_a_cursory_request_displaces_no_better_analysis_that_is_under_way(
    service: Service, *, first_ends: bool
) -> None:
    thorough = asked(service, Parameters(nodes=20_000))
    cursory = asked(service, Parameters(nodes=1))
    for id in (thorough, cursory) if first_ends else (cursory, thorough):
        carry_out(service, id, 20_000 if id == thorough else 1)
    assert service.analyses.shown.find("g", ["full"]).id == thorough
    third = asked(service, Parameters(nodes=2))
    assert service.analyses.shown.find("g", ["full"]).id == thorough
    carry_out(service, third, 2)
    assert service.analyses.shown.find("g", ["full"]).id == thorough


def test_an_analysis_of_a_game_that_went_on_is_not_shown_for_being_late(service: Service) -> None:
    early = asked(service)
    play(service.games, "g")
    whole = asked(service)
    carry_out(service, whole, 1)
    carry_out(service, early, 20_000)
    assert service.analyses.shown.find("g", ["full"]).id == whole
    asked(service, Parameters(depth=1))
    assert service.analyses.shown.find("g", ["full"]).id == whole


@pytest.mark.parametrize("cursory_ends", [True, False])
def test_of_two_analyses_that_end_together_the_better_one_is_shown(
    service: Service, monkeypatch: pytest.MonkeyPatch, *, cursory_ends: bool
) -> None:
    """The thorough one ends while another request is choosing between what was there before."""
    carry_out(service, asked(service, Parameters(nodes=1)), 1)
    thorough, cursory = asked(service, Parameters(nodes=20_000)), asked(service)
    shown, loaded = service.analyses.shown, list[str]()

    def load(id: str) -> AnalysisState:
        loaded.append(id)
        if len(loaded) == 1:
            carry_out(service, thorough, 20_000)
        return service.analyses.load(id)

    monkeypatch.setattr(shown, "load", load)
    if cursory_ends:
        carry_out(service, cursory, 300)
    else:
        asked(service, Parameters(nodes=3))
    assert shown.find("g", ["full"]).id == thorough


def test_a_choice_that_others_always_overtake_is_given_up(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, newer = asked(service), asked(service, Parameters(nodes=1))
    carry_out(service, newer, 1)
    shown, stream = service.analyses.shown, StreamId(OF_GAME, "g")

    def load(id: str) -> AnalysisState:
        other = {"done:full": "another" if id == newer else newer}
        change = Append(stream=stream, expected=0, events=(), at=0, by="", attributes=other)
        service.log.append(change)
        return service.analyses.load(newer)

    monkeypatch.setattr(shown, "load", load)
    with pytest.raises(Overtaken):
        carry_out(service, first, 1)


def test_nobody_writes_behind_the_end(service: Service) -> None:
    analyses = service.analyses
    state = analyses.load(asked(service))
    stopped = analyses.stop(state)
    with pytest.raises(WrongExpectedVersion):
        analyses.record(state, [found()])
    assert analyses.load(state.id) == stopped
    assert service.jobs.get(state.id).state is JobState.CANCELLED


def test_a_stopped_analysis_leaves_no_hint(service: Service) -> None:
    analyses = service.analyses
    waiting = asked(service, Parameters(depth=1))
    stopped = asked(service)
    for _ in range(2):
        analyses.stop(analyses.load(stopped))
        assert analyses.queue.waiting(Lane.PERSON) == [waiting]
        asked(service)
        assert analyses.queue.waiting(Lane.PERSON) == [waiting, stopped]
    [key] = service.store.keys(f"rq:job:{stopped}")
    analyses.stop(analyses.load(stopped))
    assert not service.store.exists(key)


def test_an_analysis_can_be_stopped_while_the_queue_is_away(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    analyses = service.analyses
    state = analyses.load(asked(service))
    away = redis.Redis.from_url("unix:///nowhere")
    monkeypatch.setattr(analyses.queue, "connection", away)
    assert analyses.stop(state).ended
    assert service.jobs.get(state.id).state is JobState.CANCELLED
    assert f"the hint at job {state.id} stays" in caplog.text


def test_a_job_that_was_lost_or_failed_is_made_or_tried_again(service: Service) -> None:
    analyses, jobs = service.analyses, service.jobs
    id = asked(service)
    service.store.delete(f"movelog:{{jobs}}:job:{id}")
    state = analyses.load(id)
    assert analyses.find_job(state) is None
    analyses.ensure_job(id, "ada")
    job = analyses.find_job(state)
    assert job is not None
    assert job.state is JobState.QUEUED
    claimed = jobs.claim(id, "worker")
    assert claimed is not None
    jobs.fail(claimed, "why", final=True)
    with pytest.raises(AnalysisOver, match="failed"):
        analyses.stop(state)
    assert asked(service) == id
    assert jobs.get(id).state is JobState.QUEUED


def test_what_a_backup_copies_holds_all_of_it(service: Service) -> None:
    id = asked(service)
    assert {StreamId(KIND, id), StreamId(OF_GAME, "g")} <= stream_ids(service.log.redis)


def rotate_key(service: Service) -> int:
    stored = StoredKeys(service.store)
    vault = service.analyses.vault
    return rotate(service.log, vault, lambda done, total: None, stored, pause=0).attributes


def test_what_is_sealed_can_be_read_after_a_new_key(service: Service) -> None:
    analyses = service.analyses
    fen = start_fen("kerd").replace("?/?", "f11/?")
    assert "f11" in fen
    subject = make_position_subject("kerd", fen, SMALL, analyses.build, "ada")
    state = analyses.request(subject, "ada", batch=False)
    state = analyses.record(state, [found()])
    assert state.begun.fen is None
    assert rotate_key(service) == 2
    assert analyses.load(state.id) == state
    assert state.begun.secret_fen == fen


def test_a_note_sealed_with_a_key_that_is_gone_is_no_note(service: Service) -> None:
    analyses = service.analyses
    fen = start_fen("kerd").replace("?/?", "f11/?")
    subject = make_position_subject("kerd", fen, SMALL, analyses.build, "ada")
    state = analyses.request(subject, "ada", batch=False)
    job = service.jobs.claim(state.id, "worker")
    assert job is not None
    service.jobs.heartbeat(job, 0, 1, analyses.note(state, 0, found()))
    assert analyses.read_partial_finding(state, service.jobs.get(state.id)) == found()
    rotate_key(service)
    assert analyses.read_partial_finding(state, service.jobs.get(state.id)) is None
