"""The searches that `movelog analyse` requests of the service: of a game, or of stale analyses."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from service.cli.progress import make_progress_bar, say

if TYPE_CHECKING:
    from service.analysis.finding import Finding
    from service.analysis.parameters import Parameters
    from service.cli.client import Client

POLL: Final = 0.25
"""Seconds between two requests for the service's findings."""
VIEWERS: Final = {
    "full": "with no secret choices",
    "first": "as the first side knows them",
    "second": "as the second side knows them",
    "both": "with both sides' secret choices",
    "stranger": "without the secret choices",
    "given": "as the position string gives them",
}
"""What an analysis knows about secret choices, by its `view`."""
UNDER_WAY: Final = frozenset({"queued", "running"})


def analyse_game(
    service: Client, game: str, ply: int | None, parameters: Parameters, as_json: bool
) -> int:
    """Have a game analysed and print findings as they come; returns 0 if it is done, else 1."""
    from service.analysis.judgement import judge, judge_all
    from service.cli.analyse import table

    limits = {"limits": parameters.limits, "lines": parameters.lines, "seed": parameters.seed}
    body = {"game": game, "ply": ply, **limits}
    view = service.post("/analyses", body, str(uuid4()))
    if not as_json:
        say(f"{view['id']}: {view['progress']['of']} positions, {VIEWERS[view['view']]}")
        say(table.SEARCH if ply is not None else table.GAME)
    prints_actions = not as_json and ply is None
    short_forms = get_short_forms(service, game) if prints_actions else {}
    found: list[Finding | None] = []
    with make_progress_bar(view["progress"]["of"], "position") as bar:
        while True:
            for entry in view["findings"][len(found) :]:
                finding = read_finding(entry["finding"])
                if as_json:
                    say(json.dumps(entry))
                elif ply is not None and finding is not None:
                    table.print_rows(table.format_search(finding))
                elif prints_actions and found and (before := found[-1]) is not None:
                    # An action that was taken back since is printed in coordinate form.
                    action = before.played or ""
                    played = short_forms.get((len(found), action), action)
                    judged = judge(before, finding)
                    say(table.format_action(len(found), played, before, finding, judged))
                found.append(finding)
            bar.update(len(found) - bar.n)
            if view["state"] not in UNDER_WAY:
                break
            time.sleep(POLL)
            view = service.get(f"/analyses/{view['id']}")
    if prints_actions:
        table.print_accuracy(view["variant"], judge_all(found))
    if view["reason"]:
        say(view["reason"], error=True)
    return 0 if view["state"] == "done" else 1


def get_short_forms(service: Client, game: str) -> dict[tuple[int, str], str]:
    """A game's actions in short form, by ply and coordinate form."""
    actions = service.get(f"/games/{game}")["actions"]
    return {(one["ply"], one["action"]): str(one["san"]) for one in actions}


def read_finding(found: dict[str, Any] | None) -> Finding | None:
    """The finding that the service's JSON describes, or None for a position not searched."""
    from service.analysis.finding import parse_finding

    if found is None:
        return None
    return parse_finding(found | {"side": ("first", "second").index(found["side"])})


def renew_stale(service: Client, as_json: bool) -> int:
    """Have stale analyses redone and print how many; returns 0 if all could be, else 1."""
    view = service.post("/analyses/stale", {}, str(uuid4()))
    while view["state"] in UNDER_WAY:
        time.sleep(POLL)
        view = service.get("/analyses/stale")
    text = f"{view['asked']} of {view['of']} analyses will be redone by engine {view['build']}"
    say(json.dumps(view) if as_json else text)
    return 0 if view["state"] == "done" else 1
