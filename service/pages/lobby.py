"""The lobby: open challenges, the reader's own, and how to make one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.languages.texts import gettext
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get, get_reader
from service.pages.computers import list_levels
from service.pages.forms import KEY
from service.pages.game_conditions import describe_time_control
from service.pages.listed import SIDES, Game
from service.pages.live_boards import find_boards
from service.pages.site import pages

FILTERS: Final = ("variant", "speed", "rated")
"""The fields of the form that chooses which challenges are shown, as the API names them."""
SPEEDS: Final = ("bullet", "blitz", "rapid", "classical", "correspondence", "untimed")
SHOWN: Final = 50
"""The most open challenges on the page."""
PLAYED: Final = 6
"""The most games being played that the page shows."""
OWN: Final = 20
"""The most challenges made or received by the reader that the page shows."""
ANSWERS: Final = ("accept", "decline", "withdraw")
"""The answers to a challenge."""
TIMES: Final = ("", "180+2", "300+3", "600+5", "900+10", "1800+20", "1/86400", "1/259200")
"""The time controls that forms offer, as the API names them; the first is none."""


@pages.get("/lobby")
def show_lobby() -> str:
    """The open challenges that fit the form, and the reader's own."""
    return render_lobby()


def render_lobby(problem: Mapping[str, Any] | None = None) -> str:
    """The page, with the problem if a form was refused."""
    asked = {name: request.args[name] for name in FILTERS if request.args.get(name)}
    running = get("/games", status="running", sort="updated", limit=PLAYED)["items"]
    return render_template(
        "lobby.html",
        asked=asked,
        found=get("/challenges", **asked, cursor=request.args.get("cursor"), limit=SHOWN),
        computers=list_levels(),
        speeds=SPEEDS,
        times={control: describe_time(control) for control in TIMES},
        problem=problem,
        running=running,
        boards=find_boards(game["id"] for game in running),
        **find_own_challenges(),
    )


@pages.get("/lobby/<id:id>")
def show_lobby_after_refusal(id: str) -> Response:
    """Lead to the lobby: a refused answer to a challenge leaves its own address in the browser.

    The scripts of that page load it again from there.
    """
    return redirect(url_for("pages.show_lobby"))


@pages.post("/lobby/<id:id>")
def answer_challenge(id: str) -> Response | tuple[str, int]:
    """Accept a challenge and go to its game; decline or withdraw one and stay."""
    session.check_csrf(request.form.get(session.FIELD))
    answer = request.form.get("type", "")
    command = {"type": answer if answer in ANSWERS else ""}
    try:
        api_client.post(f"/games/{id}/commands", command, request.form.get(KEY))
    except ApiRefused as refused:
        return render_lobby(refused.problem), int(refused.problem["status"])
    if answer == "accept":
        return redirect(url_for("pages.show_game", id=id), 303)
    return redirect(url_for("pages.show_lobby"), 303)


def find_own_challenges() -> dict[str, Sequence[Game]]:
    """The challenges that the reader has received (`received`) and made (`sent`)."""
    who = get_reader()
    if who is None:
        return {"received": [], "sent": []}
    own = get("/me/challenges")["items"][:OWN]
    received = [game for game in own if is_received(game, who["id"])]
    return {"received": received, "sent": [game for game in own if game not in received]}


def is_received(challenge: Game, player: str) -> bool:
    """Whether the other player made this challenge."""
    if not all(challenge["players"][side]["id"] for side in SIDES):
        return False
    return bool(get(f"/games/{challenge['id']}")["creator"] != player)


def describe_time(control: str) -> str:
    """A time control that a form offers, in words."""
    return describe_time_control(control) if control else gettext("no time limit")
