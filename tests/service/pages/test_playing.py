"""Actions that a game's page sends while the game goes on."""

from __future__ import annotations

from typing import Any

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


def read_game(api: Api, path: str) -> Any:
    """The game as the API shows it."""
    return api.get(path).json


def test_an_offer_or_a_comment_that_comes_meanwhile_does_not_refuse_an_action(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    for action, by in (("Pd1", ada), ("Pa7", brahim)):
        api.play(path, by, action)
    seen = read_game(api, path)["version"]
    api.command(path, brahim, "offer-draw")
    api.command(path, brahim, "offer-retraction", plies=2)
    annotation = {"nags": [], "comments": ["slow"], "comments_before": []}
    api.command(path, brahim, "annotate", ply=2, annotation=annotation)
    assert read_game(api, path)["version"] == seen + 3
    reader, wish = Visitor(api, ada), {"expected_version": str(seen), "action": "Pd2"}
    assert reader.send(f"{path}/actions?answer=part", **wish).status_code == 204
    assert [one["san"] for one in read_game(api, path)["actions"]] == ["Pd1", "Pa7", "Pd2"]
    # Now the position is another one.
    assert reader.send(f"{path}/actions?answer=part", **wish).status_code == 409
    assert reader.send(f"{path}/actions", **wish).status_code == 409
