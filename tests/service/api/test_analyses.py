from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest
from werkzeug.test import TestResponse

from engine.registry import VARIANTS
from service.analysis import quota as quota
from service.analysis.chart import STYLE
from service.api.responses import hash_source
from service.api.stream_counts import MOST_LOOKING_FOR_ONE
from service.jobs.duties import Lane
from service.jobs.job_kinds import PUZZLES
from service.player.repository import NewPlayer
from tests.service.analysis.support import found, start_fen
from tests.service.api.client import PGN, Api, error
from tests.service.api.conftest import Configured
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

LIMITS = {"nodes": 200}
SVG = "image/svg+xml"


def ask(api: Api, by: NewPlayer, **wish: Any) -> TestResponse:
    """Request an analysis, a small one unless `wish` says otherwise."""
    return api.post("/analyses", {"limits": LIMITS} | wish, by)


def asked(api: Api, by: NewPlayer, **wish: Any) -> dict[str, Any]:
    """Request an analysis, and return it."""
    answer = ask(api, by, **wish)
    assert answer.status_code in (200, 202), answer.text
    found: dict[str, Any] | None = answer.json
    assert found is not None
    assert answer.headers["Location"] == f"/api/v1/analyses/{found['id']}"
    return found


def work(api: Api, id: str) -> None:
    """Carry out the job of an analysis, as a worker does."""
    carry_out(id, api.service, api.service.jobs, FUNCTIONS)


def shown(api: Api, path: str, by: NewPlayer | None = None) -> dict[str, Any]:
    """The JSON at a path."""
    answer = api.get(path, by)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] | None = answer.json
    assert found is not None
    return found


def played(api: Api, scribe: NewPlayer) -> str:
    """The id of a short game that has ended."""
    path = api.scribed(scribe)
    for _ in range(3):
        api.play(path, scribe, shown(api, f"{path}/legal")["actions"][0]["action"])
    api.command(path, scribe, "resign", side="second")
    return path.removeprefix("/games/")


def followed(
    api: Api, id: str, headers: Mapping[str, str] | None = None
) -> list[tuple[str | None, str | None, Any]]:
    """The messages of an analysis's stream, to its end."""
    query = {} if api.service.analyses.load(id).ended else {"until": "caught_up"}
    answer = api.get(f"/analyses/{id}/stream", query=query, headers=headers)
    assert answer.status_code == 200
    text = answer.text
    answer.close()
    return messages(text)


def messages(text: str) -> list[tuple[str | None, str | None, Any]]:
    """The id, event and data of each message of a stream."""
    found = []
    for part in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.splitlines() if line[0] != ":")
        if "data" in fields:
            found.append((fields.get("id"), fields.get("event"), json.loads(fields["data"])))
    return found


def test_a_position_is_queued_searched_and_shown(api: Api, ada: NewPlayer) -> None:
    answer = ask(api, ada, variant="katruji", fen=start_fen(), lines=2)
    assert answer.status_code == 202
    view = answer.json
    assert view is not None
    assert (view["state"], view["view"], view["fen"]) == ("queued", "full", start_fen())
    assert view["waiting"]["ahead"] == 0
    assert view["waiting"]["priority"] == "person"
    assert view["waiting"]["estimate"] is None
    work(api, view["id"])
    view = shown(api, f"/analyses/{view['id']}")
    assert (view["state"], view["waiting"], view["under_way"]) == ("done", None, None)
    [looked] = view["findings"]
    assert looked["finding"]["side"] == "first"
    assert len(looked["finding"]["lines"]) == 2
    assert view["provenance"] == {
        "rules": VARIANTS["katruji"].rules,
        "build": api.service.analyses.build,
        "parameters": {"nodes": 200, "lines": 2, "seed": 0},
    }
    assert (view["stale"], view["replaced_by"], view["judged"]) == (False, None, None)


def test_what_is_there_already_is_given_at_once(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    first = asked(api, ada, variant="katruji", fen=start_fen())
    work(api, first["id"])
    answer = ask(api, brahim, variant="katruji", fen="start")
    assert answer.status_code == 200
    assert answer.json is not None
    assert (answer.json["id"], answer.json["state"]) == (first["id"], "done")
    for other in ({"seed": 1}, {"lines": 2}, {"limits": {"depth": 2}}):
        assert ask(api, ada, variant="katruji", fen=start_fen(), **other).status_code == 202


def test_without_limits_there_are_some(api: Api, ada: NewPlayer) -> None:
    game = played(api, ada)
    whole = asked(api, ada, game=game, limits={})
    one = asked(api, ada, game=game, ply=1, limits={})
    found = [view["provenance"]["parameters"]["nodes"] for view in (whole, one)]
    assert found == [100_000, 1_000_000]
    assert [view["progress"]["of"] for view in (whole, one)] == [4, 1]


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({}, (422, "bad-value")),
        ({"fen": start_fen()}, (422, "bad-value")),
        ({"fen": start_fen(), "variant": "katruji", "ply": 1}, (422, "bad-value")),
        ({"fen": start_fen(), "variant": "chess"}, (422, "unknown-variant")),
        ({"fen": "nonsense", "variant": "katruji"}, (422, "bad-fen")),
        ({"game": "a" * 16}, (404, "not-found")),
        ({"limits": {"depth": 65}, "game": "a" * 16}, (422, "invalid-request")),
        ({"limits": {"hours": 1}, "game": "a" * 16}, (422, "invalid-request")),
        ({"view": "second", "game": "a" * 16}, (422, "invalid-request")),
        (
            {"variant": "katruji", "fen": start_fen(), "draw_by_points": True},
            (422, "bad-value"),
        ),
    ],
)
def test_what_cannot_be_analysed_is_refused(
    api: Api, ada: NewPlayer, wish: dict[str, Any], expected: tuple[int, str]
) -> None:
    before = api.snapshot()
    assert error(ask(api, ada, **wish)) == expected
    assert api.snapshot() == before


def test_a_game_has_no_such_ply_and_no_other_variant(api: Api, ada: NewPlayer) -> None:
    game = played(api, ada)
    assert error(ask(api, ada, game=game, ply=4)) == (422, "bad-value")
    assert error(ask(api, ada, game=game, variant="kerak")) == (422, "bad-value")
    assert asked(api, ada, game=game, variant="katruji", ply=3)["progress"]["of"] == 1


def test_a_draw_is_worth_what_the_players_agreed(api: Api, ada: NewPlayer) -> None:
    # The only capture takes the last captor; before it, Red has as many points as Blue.
    fen = "c4/v5/7/8/9/4i3/3I3/6/4C r - 5-5 40"
    agreed = api.scribed(ada, variant="kerak", fen=fen, tags={"DrawByPoints": "yes"})
    plain = api.scribed(ada, variant="kerak", fen=fen)
    views = [
        *(asked(api, ada, game=path.split("/")[-1], ply=0) for path in (agreed, plain)),
        asked(api, ada, game=agreed.split("/")[-1]),
        asked(api, ada, variant="kerak", fen=fen, draw_by_points=True),
        asked(api, ada, variant="kerak", fen=fen),
    ]
    assert views[0]["id"] == views[3]["id"]
    assert views[1]["id"] == views[4]["id"]
    ends = []
    for view in views[:3]:
        work(api, view["id"])
        found = shown(api, f"/analyses/{view['id']}")
        ends.append(found["findings"][0]["finding"]["plies_to_end"])
    assert ends == [1, None, 1]
    refused = ask(api, ada, game=plain.split("/")[-1], draw_by_points=True)
    assert error(refused) == (422, "bad-value")


def test_the_age_of_the_oldest_job_is_a_metric(api: Api, ada: NewPlayer) -> None:
    assert 'movelog_oldest_job_seconds{duty="analyses"} 0.0' in api.get("//metrics").text
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    state = api.service.analyses.load(id)
    at = api.service.jobs.clock()
    api.service.jobs.clock = lambda: at + 5000
    metrics = api.get("//metrics").text
    assert 'movelog_oldest_job_seconds{duty="scoring"} 0.0' in metrics
    assert 'movelog_queued_jobs{duty="analyses"} 1.0' in metrics
    age = re.search(r'(?m)^movelog_oldest_job_seconds\{duty="analyses"\} (\S+)', metrics)
    assert age is not None
    assert 5 <= float(age[1]) < 60
    assert state.ended is None


def test_puzzles_that_are_looked_for_are_never_overdue(api: Api) -> None:
    api.service.analyses.queue.submit("p" * 16, PUZZLES, {}, batch=True)
    at = api.service.jobs.clock()
    api.service.jobs.clock = lambda: at + 5000
    metrics = api.get("//metrics").text
    assert 'movelog_queued_jobs{duty="analyses"} 1.0' in metrics
    assert 'movelog_oldest_job_seconds{duty="analyses"} 0.0' in metrics


def test_only_players_may_have_something_analysed(api: Api) -> None:
    body = {"variant": "katruji", "fen": start_fen()}
    assert error(api.post("/analyses", body)) == (401, "missing-token")
    assert error(api.get(f"/analyses/{'a' * 16}")) == (404, "not-found")


def test_a_whole_game_is_judged(api: Api, ada: NewPlayer) -> None:
    game = played(api, ada)
    assert error(api.get(f"/games/{game}/analysis")) == (404, "not-found")
    id = asked(api, ada, game=game)["id"]
    assert shown(api, f"/games/{game}/analysis")["state"] == "queued"
    work(api, id)
    answer = api.get(f"/games/{game}/analysis")
    view = answer.json
    assert view is not None
    assert (view["id"], view["progress"]) == (id, {"done": 4, "of": 4})
    judged = view["judged"]
    assert judged["thresholds"] == {"blunder": 0.2, "mistake": 0.1, "inaccuracy": 0.05}
    assert [one["side"] for one in judged["actions"]] == ["first", "second", "first"]
    assert 0 <= judged["sides"]["second"]["accuracy"] <= 100
    tag = answer.headers["ETag"]
    again = api.get(f"/games/{game}/analysis", headers={"If-None-Match": tag})
    assert again.status_code == 304


def test_a_newer_analysis_is_shown_when_it_is_done(api: Api, ada: NewPlayer) -> None:
    game = played(api, ada)
    first = asked(api, ada, game=game)["id"]
    work(api, first)
    second = asked(api, ada, game=game, limits={"nodes": 400})["id"]
    assert shown(api, f"/games/{game}/analysis")["id"] == first
    work(api, second)
    assert shown(api, f"/games/{game}/analysis")["id"] == second


def test_nobody_takes_a_better_analysis_away(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    game = played(api, ada)
    better = asked(api, ada, game=game)["id"]
    work(api, better)
    for seed in (1, 2):
        work(api, asked(api, brahim, game=game, limits={"nodes": 1}, seed=seed)["id"])
        assert shown(api, f"/games/{game}/analysis")["id"] == better
    # An analysis by another build of the engine replaces a deeper one.
    api.service.analyses.build = "newer"
    newer = asked(api, ada, game=game, limits={"nodes": 1})["id"]
    work(api, newer)
    assert shown(api, f"/games/{game}/analysis")["id"] == newer


def test_a_chart_is_drawn_as_far_as_there_is_something(api: Api, ada: NewPlayer) -> None:
    game = played(api, ada)
    id = asked(api, ada, game=game)["id"]
    empty = api.get(f"/games/{game}/analysis.svg")
    assert empty.status_code == 200
    work(api, id)
    answer = api.get(f"/games/{game}/analysis.svg", query={"version": "2"})
    assert answer.mimetype == SVG
    assert answer.text != empty.text
    assert ElementTree.fromstring(answer.text).tag.endswith("svg")
    policy = answer.headers["Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src {hash_source(STYLE)}"
    assert error(api.get(f"/games/{game}/analysis.svg", accept=PGN)) == (406, "not-acceptable")


def test_whoever_asked_stops_it_and_nobody_else_but_an_admin(
    api: Api, ada: NewPlayer, brahim: NewPlayer, admin: NewPlayer
) -> None:
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    path = f"/analyses/{id}"
    assert error(api.send("DELETE", path)) == (401, "missing-token")
    assert error(api.send("DELETE", path, brahim)) == (403, "missing-scope")
    stopped = api.send("DELETE", path, ada)
    assert stopped.status_code == 200
    assert stopped.json is not None
    assert stopped.json["state"] == "cancelled"
    assert error(api.send("DELETE", path, admin)) == (409, "analysis-over")
    assert asked(api, brahim, variant="katruji", fen=start_fen())["state"] == "queued"
    assert api.send("DELETE", path, admin).status_code == 200


def test_whoever_asks_again_for_a_stopped_one_is_the_one_who_stops_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    path = f"/analyses/{id}"
    assert api.send("DELETE", path, ada).status_code == 200
    assert asked(api, brahim, variant="katruji", fen=start_fen())["id"] == id
    assert error(api.send("DELETE", path, ada)) == (403, "missing-scope")
    assert api.send("DELETE", path, brahim).status_code == 200


def test_nobody_keeps_all_others_waiting(
    api: Api, ada: NewPlayer, brahim: NewPlayer, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "MOST", 6)

    def wish(seed: int) -> dict[str, Any]:
        return {"variant": "katruji", "fen": start_fen(), "seed": seed}

    views = [asked(api, ada, **wish(seed)) for seed in range(6)]
    told = [view["waiting"]["priority"] for view in views]
    assert told == ["person"] * quota.FIRST + ["batch"] * 2
    # Asking again does not change the priority.
    assert asked(api, ada, **wish(5))["waiting"]["priority"] == "batch"
    assert error(ask(api, ada, **wish(6))) == (429, "too-many-analyses")
    assert asked(api, brahim, **wish(6))["waiting"]["priority"] == "person"
    assert asked(api, admin, **wish(7))["state"] == "queued"
    work(api, views[0]["id"])
    assert ask(api, ada, **wish(0)).status_code == 200
    assert ask(api, ada, **wish(6)).status_code == 202
    assert error(ask(api, ada, **wish(8))) == (429, "too-many-analyses")
    assert api.send("DELETE", f"/analyses/{views[1]['id']}", ada).status_code == 200
    assert ask(api, ada, **wish(8)).status_code == 202


def test_a_days_new_lines_are_bounded(configured: Configured) -> None:
    """A player could once fill the store: each seed is another analysis, kept for good."""
    api = configured(MOVELOG_ANALYSIS_QUOTA="40")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    admin = api.player("Root", "play", "admin")

    def wish(seed: int, lines: int) -> dict[str, Any]:
        return {"variant": "katruji", "fen": start_fen(), "seed": seed, "lines": lines}

    game = played(api, ada)
    asked(api, ada, game=game, lines=5)  # four positions
    first = asked(api, ada, **wish(0, 16))["id"]
    before = api.snapshot()
    refused = ask(api, ada, **wish(1, 5))
    assert error(refused) == (429, "analysis-quota-used")
    assert refused.json is not None
    assert refused.json["limit"] == 40
    assert 0 < refused.json["retry_after"] <= 24 * 3600
    assert refused.headers["Retry-After"] == str(refused.json["retry_after"])
    assert api.snapshot() == before
    # What was refused did not count, and neither does an analysis that exists already.
    asked(api, ada, **wish(1, 4))
    assert error(ask(api, ada, **wish(2, 1))) == (429, "analysis-quota-used")
    assert asked(api, ada, **wish(0, 16))["id"] == first
    # To stop and resume one again and again would fill the log as well.
    assert api.send("DELETE", f"/analyses/{first}", ada).status_code == 200
    assert error(ask(api, ada, **wish(0, 16))) == (429, "analysis-quota-used")
    for _ in range(2):
        asked(api, brahim, **wish(0, 16))
        assert api.send("DELETE", f"/analyses/{first}", brahim).status_code == 200
    assert error(ask(api, brahim, **wish(0, 16))) == (429, "analysis-quota-used")
    # Those of others and of admins do not count, nor do those of the day before.
    asked(api, brahim, **wish(2, 8))
    for seed in range(3, 7):
        asked(api, admin, **wish(seed, 16))
    lines = api.service.analyses.quota.lines
    today = lines.clock
    lines.clock = lambda: today() + 24 * 3600 * 1000
    asked(api, ada, **wish(8, 16))


def test_what_is_requested_again_has_no_priority_of_before(api: Api, ada: NewPlayer) -> None:
    """All that was stopped and requested again was once a person's, however many there were."""
    wishes = [{"variant": "katruji", "fen": start_fen(), "seed": seed} for seed in range(6)]
    for wish in wishes:
        view = asked(api, ada, **wish)
        assert view["waiting"]["priority"] == "person"
        assert api.send("DELETE", f"/analyses/{view['id']}", ada).status_code == 200
    again = [asked(api, ada, **wish) for wish in wishes]
    told = [view["waiting"]["priority"] for view in again]
    assert told == ["person"] * quota.FIRST + ["batch"] * 2
    assert api.service.analyses.queue.waiting(Lane.BATCH) == [view["id"] for view in again[4:]]


def test_what_was_found_is_not_written_again_when_a_new_search_is_stopped(
    api: Api, ada: NewPlayer
) -> None:
    wish = {"variant": "katruji", "fen": start_fen()}
    id = asked(api, ada, **wish)["id"]
    analyses, jobs = api.service.analyses, api.service.jobs
    job = jobs.claim(id, "worker")
    assert job is not None
    jobs.heartbeat(job, 0, 1, analyses.note(analyses.load(id), 0, found(chance=0.6)))
    for events in (2, 4, 6):
        assert api.send("DELETE", f"/analyses/{id}", ada).status_code == 200
        assert analyses.load(id).version == events + 1
        asked(api, ada, **wish)
    assert shown(api, f"/analyses/{id}")["findings"][0]["cut"]


def test_what_is_found_is_followed_and_the_stream_ends(api: Api, ada: NewPlayer) -> None:
    id = asked(api, ada, game=played(api, ada))["id"]
    assert followed(api, id) == [("1", "caught_up", {"version": 1})]
    work(api, id)
    told = followed(api, id)
    assert [(number, event) for number, event, _ in told] == [
        ("2", "position"),
        ("3", "position"),
        ("4", "position"),
        ("5", "position"),
        ("6", "ended"),
        ("6", "caught_up"),
    ]
    assert [data["index"] for _, event, data in told if event == "position"] == [0, 1, 2, 3]
    assert told[4][2] == {"state": "done", "reason": ""}
    assert [number for number, _, _ in followed(api, id, {"Last-Event-ID": "4"})] == ["5", "6", "6"]


def test_what_is_found_meanwhile_is_shown(api: Api, ada: NewPlayer) -> None:
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    analyses, jobs = api.service.analyses, api.service.jobs
    job = jobs.claim(id, "worker")
    assert job is not None
    jobs.heartbeat(job, 0, 1, analyses.note(analyses.load(id), 0, found(chance=0.6)))
    view = shown(api, f"/analyses/{id}")
    assert (view["state"], view["findings"]) == ("running", [])
    assert view["under_way"]["chance"] == 0.6
    with api.get(f"/analyses/{id}/stream") as stream:
        parts = (part.decode() for part in stream.iter_encoded())
        told = [messages(next(parts))[0] for _ in range(2)]
    assert told[0] == ("1", "caught_up", {"version": 1})
    assert told[1] == (None, "under_way", {"index": 0, "finding": view["under_way"]})


def test_one_client_follows_so_many_analyses_and_no_more(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    path = f"/analyses/{id}/stream"
    streams = [api.get(path, ada) for _ in range(MOST_LOOKING_FOR_ONE)]
    assert {stream.status_code for stream in streams} == {200}
    assert error(api.get(path, ada)) == (503, "too-many-streams")
    streams += [api.get(path, brahim), api.get(path)]
    for stream in streams:
        assert stream.status_code == 200
        stream.close()
    again = api.get(path, ada)
    assert again.status_code == 200
    again.close()


def test_stale_results_say_so_and_are_renewed_by_an_admin(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    analyses = api.service.analyses
    analyses.build = "older"
    id = asked(api, ada, variant="katruji", fen=start_fen())["id"]
    work(api, id)
    analyses.build = "newer"
    view = shown(api, f"/analyses/{id}")
    assert (view["state"], view["stale"], view["replaced_by"]) == ("done", True, None)
    assert error(api.post("/analyses/stale", {}, ada)) == (403, "missing-scope")
    assert error(api.get("/analyses/stale", ada)) == (403, "missing-scope")
    nothing = {"build": "newer", "state": None, "looked": 0, "of": 0, "asked": 0}
    assert shown(api, "/analyses/stale", admin) == nothing
    answer = api.post("/analyses/stale", {}, admin)
    assert answer.status_code == 202
    assert answer.headers["Location"] == "/api/v1/analyses/stale"
    [job] = [job for job in api.service.jobs.due() if job != id]
    work(api, job)
    done = {"build": "newer", "state": "done", "looked": 1, "of": 1, "asked": 1}
    assert shown(api, "/analyses/stale", admin) == done
    newer = shown(api, f"/analyses/{id}")["replaced_by"]
    assert shown(api, f"/analyses/{newer}")["waiting"]["priority"] == "batch"
    # Once the job is done, it may be requested again.
    assert api.post("/analyses/stale", {}, admin).json == {**done, "state": "queued"}
