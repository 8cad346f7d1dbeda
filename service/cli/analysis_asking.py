"""What `movelog analyse` asks the service for, followed until it is done."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from service.cli.progress import progress, say

if TYPE_CHECKING:
    from service.analysis.finding import Finding
    from service.analysis.parameters import Parameters
    from service.cli.client import Client

POLL: Final = 0.25
"""Seconds between two looks at what the service has found."""
UNDER_WAY: Final = frozenset({"queued", "running"})


def by_the_service(
    service: Client, game: str, ply: int | None, parameters: Parameters, as_json: bool
) -> int:
    """Have a game analysed, and print what is found as it comes; 1 unless it is done."""
    from service.analysis.finding import finding_from_json
    from service.analysis.judgement import judge, judge_all
    from service.cli import analysis_table as table

    asked = {"limits": parameters.limits, "lines": parameters.lines, "seed": parameters.seed}
    body = {"game": game, "ply": ply, **asked}
    view = service.post("/analyses", body, str(uuid4()))
    if not as_json:
        say(f"{view['id']}: {view['progress']['of']} positions as {view['view']} knows them")
        say(table.SEARCH if ply is not None else table.GAME)
    told_by_row = not as_json and ply is None
    sans = sans_of(service, game) if told_by_row else {}
    found: list[Finding | None] = []
    with progress(view["progress"]["of"], "position") as bar:
        while True:
            for looked in view["findings"][len(found) :]:
                told = looked["finding"]
                finding = None if told is None else finding_from_json(told | {"side": side(told)})
                if as_json:
                    say(json.dumps(looked))
                elif ply is not None and finding is not None:
                    table.say_all(table.search_rows(finding))
                elif told_by_row and found and (before := found[-1]) is not None:
                    # What was taken back since stands in its coordinate form.
                    action = before.played or ""
                    played = sans.get((len(found), action), action)
                    say(table.game_row(len(found), played, before, finding, judge(before, finding)))
                found.append(finding)
            bar.update(len(found) - bar.n)
            if view["state"] not in UNDER_WAY:
                break
            time.sleep(POLL)
            view = service.get(f"/analyses/{view['id']}")
    if told_by_row:
        table.say_accuracy(view["variant"], judge_all(found))
    if view["reason"]:
        say(view["reason"], error=True)
    return 0 if view["state"] == "done" else 1


def sans_of(service: Client, game: str) -> dict[tuple[int, str], str]:
    """A game's actions in short form, by ply and coordinate form."""
    actions = service.get(f"/games/{game}")["actions"]
    return {(one["ply"], one["action"]): str(one["san"]) for one in actions}


def side(told: dict[str, Any]) -> int:
    """The number of the side that a finding names."""
    return ("first", "second").index(told["side"])


def renewed(service: Client, as_json: bool) -> int:
    """Have what is stale analysed anew, and say how much that is; 1 if not all could be."""
    view = service.post("/analyses/stale", {}, str(uuid4()))
    while view["state"] in UNDER_WAY:
        time.sleep(POLL)
        view = service.get("/analyses/stale")
    told = f"{view['asked']} of {view['of']} analyses are made anew by engine {view['build']}"
    say(json.dumps(view) if as_json else told)
    return 0 if view["state"] == "done" else 1
