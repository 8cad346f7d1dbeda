"""The service around the games: limits, other origins, health, metrics, the contract's page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from service.api.responses import hash_source
from service.api.service_info import LATE
from service.composition.projector import rebuild
from service.jobs.duties import DUTIES, PROCESSES, Duty
from service.log.redis import RedisEventLog
from service.operations.admin import make_first_admin
from service.player.repository import NewPlayer
from service.projection.database.opening import FOLDER
from service.projection.errors import DatabaseError
from service.projection.leases.table import LeaseTable
from tests.contracts.document import FILE
from tests.service.api.client import Api, error
from tests.service.api.conftest import Clock, Configured
from tests.service.redis_cluster import ClusterServer, RedisCluster
from tests.service.redis_server import RedisServer


def test_a_body_that_is_too_large(configured: Configured) -> None:
    api = configured(MOVELOG_MAX_BODY="2000")
    ada = api.player("Ada")
    before = api.snapshot()
    large = b'{"name": "%s"}' % (b"x" * 2000)
    answer = api.send("POST", "/players", ada, large, "application/json")
    assert error(answer) == (413, "too-large")
    assert api.snapshot() == before
    assert api.post("/players", {"name": "x" * 100}).status_code == 201


@pytest.fixture
def clock(clock: Clock) -> Clock:
    """The clock, 19.6 s into a minute and into an hour."""
    clock.at += 19.6
    return clock


def test_the_rate_limit_is_told_and_over_after_a_while(
    configured: Configured, clock: Clock
) -> None:
    api = configured(MOVELOG_RATE_LIMIT="3/minute")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    answers = [api.get("/me", ada) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert error(answers[-1]) == (429, "too-many-requests")
    assert answers[-1].json is not None
    assert answers[-1].json["limit"] == "3 per 1 minute"
    assert answers[-1].json["retry_after"] == 41
    assert answers[-1].headers["Retry-After"] == "41"
    assert api.get("/me", brahim).status_code == 200
    assert api.get("/games").status_code == 200
    assert api.get("//healthz", ada).status_code == 200
    clock.at += 40
    assert api.get("/me", ada).status_code == 429
    clock.at += 1
    assert api.get("/me", ada).status_code == 200


def test_without_a_token_the_address_is_limited(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="2/hour")
    answers = [api.post("/players", {"name": "Ada"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert len(api.service.log.streams("player")) == 2


def test_other_origins_are_refused_unless_configured(api: Api, configured: Configured) -> None:
    origin = "https://club.example"
    absent = api.get("/games", Origin=origin)
    assert not [name for name, _ in absent.headers if name.startswith("Access-Control")]
    open_to = configured(MOVELOG_CORS_ORIGINS=f"{origin} https://other.example")
    answer = open_to.get("/games", Origin=origin)
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Origin" in answer.headers.getlist("Vary")
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "authorization, idempotency-key"
    preflight = open_to.send("OPTIONS", "/games", headers=asked)
    assert preflight.status_code == 200
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert "idempotency-key" in preflight.headers["Access-Control-Allow-Headers"]
    stranger = open_to.get("/games", Origin="https://evil.example")
    assert "Access-Control-Allow-Origin" not in stranger.headers
    problem = open_to.get("/games?x=1", Origin=origin)
    assert problem.headers["Access-Control-Allow-Origin"] == origin


def test_ready_while_the_log_answers(api: Api, ada: NewPlayer) -> None:
    idle = {duty.name: {"queued": 0, "oldest_seconds": 0.0} for duty in PROCESSES}
    room = {"writes": "accepted", "lists": "available", "parked_games": 0}
    ready = {"status": "ready", "projection_lag": 1, "duties": idle} | room
    assert api.get("//readyz").json == ready
    api.project()
    assert api.get("//readyz").json == ready | {"projection_lag": 0}


@pytest.mark.parametrize("duty", DUTIES, ids=lambda duty: duty.name)
def test_readiness_tells_the_oldest_job_that_waits_of_each_duty(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch, duty: Duty
) -> None:
    jobs = api.service.jobs
    begun = jobs.clock()
    monkeypatch.setattr(jobs, "clock", lambda: begun)
    for number, kind in enumerate(duty.kinds):
        jobs.create(f"j{number}", kind, {})
    monkeypatch.setattr(jobs, "clock", lambda: begun + 1000 * int(LATE) + 500)
    told: Any = api.get("//readyz").json
    assert told["duties"][duty.name] == {"queued": len(duty.kinds), "oldest_seconds": LATE + 0.5}
    others = [seen["queued"] for name, seen in told["duties"].items() if name != duty.name]
    assert set(others) == {0}
    # People wait for ended games to be scored and for rounds to be paired.
    assert told["status"] == ("degraded" if duty.prompt else "ready")
    for number in range(len(duty.kinds)):
        jobs.claim(f"j{number}", "w")
    told = api.get("//readyz").json
    assert told["duties"][duty.name] == {"queued": 0, "oldest_seconds": 0.0}


def test_a_stream_whose_log_cannot_be_read_is_refused_and_holds_no_place(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = api.created({"variant": "katruji"}, ada)

    def fail(*_: object) -> None:
        raise redis.ConnectionError("No connection available.")

    monkeypatch.setattr(RedisEventLog, "read", fail)
    assert error(api.get(f"{path}/stream", ada)) == (503, "log-unavailable")
    assert "movelog_event_streams 0" in api.get("//metrics").text


@pytest.fixture
def log_away(
    request: pytest.FixtureRequest, redis_server: RedisServer
) -> AbstractContextManager[None]:
    """A context in which the log's servers are down."""
    cluster: RedisCluster | None = None
    servers: Sequence[RedisServer | ClusterServer] = [redis_server]
    if request.config.getoption("--cluster"):
        cluster = request.getfixturevalue("redis_cluster")
        servers = cluster.nodes

    @contextmanager
    def away() -> Iterator[None]:
        for server in servers:
            server.kill()
        try:
            yield
        finally:
            for server in servers:
                server.start()
            if cluster is not None:
                cluster.wait_until_whole()

    return away()


def test_without_the_log_everything_says_so(
    api: Api, ada: NewPlayer, log_away: AbstractContextManager[None]
) -> None:
    path = api.created({"variant": "katruji"}, ada)
    with log_away:
        for at in ("//readyz", path, f"{path}/stream", "/me"):
            answer = api.get(at, ada)
            assert error(answer) == (503, "log-unavailable")
            assert answer.headers["Retry-After"] == "1"
        assert error(api.command(path, ada, "withdraw"))[0] == 503
        assert error(api.get("//metrics"))[0] == 503
        assert api.get("//healthz").json == {"status": "ok"}
    assert api.get("//readyz").status_code == 200
    assert api.app.extensions["movelog"].hub.open_streams == 0


def test_metrics_are_read_by_prometheus(api: Api, ada: NewPlayer) -> None:
    api.get("/games")
    api.send("BREW", "/games")
    answer = api.get("//metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    counted = {
        (sample.labels["method"], sample.labels["route"], sample.labels["status"]): sample.value
        for sample in families["movelog_requests"].samples
        if sample.name.endswith("_total")
    }
    assert counted["GET", "/api/v1/games", "200"] == 1
    assert {method for method, _, _ in counted} == {"GET", "any"}
    assert families["movelog_event_streams"].samples[0].value == 0
    assert families["movelog_projection_lag_entries"].samples[0].value == 1
    lags = families["movelog_partition_lag_entries"].samples
    assert len(lags) == api.service.log.partitions
    assert sum(sample.value for sample in lags) == 1
    assert families["movelog_unheld_partitions"].samples[0].value == len(lags)
    assert families["movelog_database_up"].samples[0].value == 1
    assert families["movelog_database_bytes"].samples[0].value > 0
    assert families["movelog_lost_partitions"].samples[0].value == 0
    assert families["movelog_log_lost_timestamp_seconds"].samples[0].value == 0


def test_metrics_tell_who_projects_what(api: Api) -> None:
    table = LeaseTable(api.service.store, api.service.log.partitions)
    for process in ("alpha:1 x", "beta:2 y", "alpha:1 x", "beta:2 y"):
        table.share(process, 3600)
    families = {
        family.name: family for family in text_string_to_metric_families(api.get("//metrics").text)
    }
    assert {
        sample.labels["projector"]: sample.value
        for sample in families["movelog_projector_partitions"].samples
    } == {"alpha:1": 32, "beta:2": 32}
    assert families["movelog_unheld_partitions"].samples[0].value == 0


def test_the_contract_is_served(api: Api) -> None:
    answer = api.get("//openapi.yaml")
    assert answer.mimetype == "application/yaml"
    assert answer.data == FILE.read_bytes()
    assert yaml.safe_load(answer.text)["openapi"].startswith("3.1")


def test_the_page_needs_nothing_from_other_hosts(api: Api) -> None:
    page = api.send("GET", "//docs")
    if page.status_code in (301, 302, 308):
        page = api.send("GET", "//docs/")
    assert page.status_code == 200
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page.text)
    assert '"url": "/openapi.yaml"' in page.text
    assert '"validatorUrl": null' in page.text
    assets = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert assets
    for asset in assets:
        answer = api.send("GET", "/" + asset.replace("./", "/docs/"))
        assert answer.status_code == 200, asset
        answer.close()


def test_what_goes_wrong_inside_is_a_problem(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*given: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(type(api.service.search), "page", fail)
    answer = api.get("/games")
    assert error(answer) == (500, "internal-error")
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


def test_every_answer_is_taken_for_what_it_says_it_is(api: Api) -> None:
    for path in ("/games", "/nope", "//healthz", "//docs/"):
        assert api.get(path).headers["X-Content-Type-Options"] == "nosniff"


def test_no_answer_does_anything_in_a_browser_or_is_shown_to_another_reader(
    api: Api, ada: NewPlayer
) -> None:
    for path in ("/games", "/nope", "//healthz", "/me", "//openapi.yaml"):
        policy = api.get(path).headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"
    assert api.get("/games", ada).headers["Cache-Control"] == "private, no-cache"
    assert "Cache-Control" not in api.get("/variants").headers
    page = api.get("//docs/")
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    [script] = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    assert f"script-src 'self' {hash_source(script)};" in policy


def test_a_game_can_be_begun_from_what_is_told_of_its_variant(api: Api) -> None:
    ada = api.player("Ada")
    told = api.get("/variants").json
    assert told is not None
    assert [item["name"] for item in told["items"]] == ["katruji", "kerak", "kerd", "kerd-draft"]
    assert [item["secret_choices"] for item in told["items"]] == [False, False, True, True]
    for item in told["items"]:
        seats = {"first": {"name": "One"}, "second": {"name": "Two"}}
        wish = {"variant": item["name"], "mode": "scribe", "players": seats}
        game = api.post("/games", wish, ada).json
        assert game is not None
        # A game that begins from the variant's own first position has no `initial_fen`.
        assert game["initial_fen"] is None
        assert game["fen"] == item["initial_fen"]
        assert game["rules"] == item["rules"]
        assert (game["points"] is not None) == item["counts_points"]
        assert {side: seat["side"] for side, seat in game["players"].items()} == item["sides"]


def test_while_the_database_is_away_the_lists_say_so_and_games_go_on(
    api: Api, ada: NewPlayer, tmp_path: Path
) -> None:
    path = api.scribed(ada)
    api.service.database.close()
    folder = tmp_path / FOLDER
    folder.rename(tmp_path / "elsewhere")
    try:
        for at in ("/games", "/search", "/explorer?variant=katruji", "/ratings?variant=katruji"):
            answer = api.get(at)
            assert error(answer) == (503, "database-away"), at
            assert answer.headers["Retry-After"]
        assert api.play(path, ada, "Sd1").status_code == 200
        assert api.get(path).status_code == 200
        text = api.get("//metrics").text
        assert "movelog_database_up 0.0" in text
        assert "movelog_event_streams" in text
    finally:
        (tmp_path / "elsewhere").rename(folder)
    assert api.get("/games").status_code == 200


@pytest.mark.parametrize(("broken", "code"), [(b"", "damaged"), (None, "newer")])
def test_a_service_starts_without_a_database_it_can_use(
    configured: Configured, api: Api, broken: bytes | None, code: str
) -> None:
    ada = api.player("Ada")
    api.project()
    pointer = api.service.settings.data_dir / FOLDER / "current"
    if broken is None:
        newer = text("UPDATE alembic_version SET version_num = '9999'")
        api.service.database.write(lambda connection: connection.execute(newer))
    else:
        pointer.write_bytes(broken)
    fresh = configured()
    make_first_admin(fresh.service)
    path = fresh.created({"variant": "katruji"}, ada)
    assert fresh.get(path).status_code == 200
    assert error(fresh.get("/games")) == (503, f"database-{code}")
    assert (fresh.get("//readyz").json or {})["lists"] == f"database-{code}"
    assert "movelog_database_up 0.0" in fresh.get("//metrics").text
    if code == "damaged":
        rebuild(fresh.service)
        assert (fresh.get("//readyz").json or {})["lists"] == "available"
        return
    with pytest.raises(DatabaseError):
        rebuild(fresh.service)
