"""What is found in a game reveals no choice to anybody who may not know it.

Pairs of games as in `test_non_interference`, with workers: everything that shows an analysis must
be the same for both games, to the byte, unless the viewer owns a secret.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.side import Side
from service.analysis.finding import Finding
from service.analysis.search import search_position
from tests.service.api.client import NDJSON, PGN
from tests.service.redis_server import RedisServer
from tests.service.secrets.pairs import Difference, Pair
from tests.service.secrets.twins import Request, Twin, twins
from workers import analysis as analysing
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

PLIES = 2
SOAKED = 12
LIMITS = {"nodes": 30}
WHOSE = {"second": (Side.SECOND,), "both": tuple(Side)}

Told = set[tuple[str, int]]
"""The views that were analysed, each with the number of worlds searched."""
Compare = Callable[[str, str, int], Told]


def timeless(*arguments: Any) -> Iterator[Finding]:
    """Findings without the duration of the search, which is different each time."""
    return (replace(finding, seconds=0.0) for finding in search_position(*arguments))


@pytest.fixture
def compare(redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    """A function that compares the analyses of a pair of games after each of some actions."""
    monkeypatch.setattr(analysing, "search_position", timeless)

    def compare(variant: str, whose: str, plies: int) -> Told:
        told: Told = set()
        random = Random(f"analysed {variant} {whose}")
        with twins(redis_server, tmp_path, monkeypatch, seed=plies) as both:
            pair = Pair(both, variant, WHOSE[whose], random)
            pair.begin()
            while pair.goes_on() and len(pair.states[0].played) < plies:
                told |= analysed(pair)
                if not pair.step():
                    break
        return told

    return compare


def analysed(pair: Pair) -> Told:
    """Analyse the game and compare what all observers see; its players are only refused."""
    told: Told = set()
    asking = [by for by in pair.observers if by in ("eve", "first", "second")]
    for by in asking:
        for wish in ({}, {"ply": len(pair.states[0].played)}):
            game = {"game": pair.game.removeprefix("/games/"), "limits": LIMITS, "lines": 2}
            made, _ = pair.ask(Request("POST", "/analyses", by, game | wish))
            if by != "eve":
                assert json.loads(made.body)["code"] == "own-game-running"
                continue
            assert made.status in (200, 202), made.body
            id = json.loads(made.body)["id"]
            pair.both.each(partial(work, id=id))
            pair.both.project()
            for observer in pair.observers:
                for request in showing(pair, id, observer):
                    pair.ask(request)
            view = json.loads(pair.ask(Request("GET", f"/analyses/{id}", by))[0].body)
            assert view["state"] == "done"
            told |= {(view["view"], one["finding"]["worlds"]) for one in view["findings"]}
    return told


def work(twin: Twin, *, id: str) -> None:
    """Carry out an analysis, as a worker does."""
    carry_out(id, twin.api.service, twin.api.service.jobs, FUNCTIONS)


def showing(pair: Pair, id: str, by: str | None) -> Iterator[Request]:
    """One observer's requests for everything that shows an analysis of the game."""
    yield Request("GET", f"/analyses/{id}", by)
    yield Request("GET", f"/analyses/{id}/stream", by, query={"until": "caught_up"})
    yield Request("GET", f"{pair.game}/analysis", by)
    yield Request("GET", f"{pair.game}/analysis.svg", by)
    accept = {"Accept": pair.random.choice([PGN, NDJSON])}
    yield Request("GET", "/export", by, headers=accept, query={"analysis": "true"})
    yield Request("GET", f"//analyses/{id}", by)
    yield Request("GET", f"/{pair.game}", by)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "whose"), [("kerd", "second"), ("kerd-draft", "both")])
def test_no_analysis_tells_what_was_chosen(compare: Compare, variant: str, whose: str) -> None:
    told = compare(variant, whose, PLIES)
    assert {view for view, _ in told} == {"stranger"}
    assert max(worlds for _, worlds in told) > 1


@pytest.mark.soak
@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("variant", ["kerd", "kerd-draft"])
def test_no_analysis_of_a_longer_game_tells_what_was_chosen(
    compare: Compare, variant: str, whose: str
) -> None:
    assert compare(variant, whose, SOAKED)


@pytest.mark.slow
def test_an_analysis_that_knew_too_much_is_found(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    def whole_truth(state: Any, position: Any, viewer: object) -> Any:
        return position.copy()

    monkeypatch.setattr("service.analysis.target.mask", whole_truth)
    with pytest.raises(Difference):
        compare("kerd", "both", PLIES)
