"""The text above a game's board: whose turn it is, what there is to do, how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.boards.described_actions import DEED, DROP, MOVE
from service.boards.registry import find_board
from service.languages.texts import gettext, mark
from service.pages.board_view import BoardView
from service.pages.words import describe_reason, describe_reasons, say_word

Game = Mapping[str, Any]

SIDES: Final = ("first", "second")
OWN_TURN: Final = mark("Your turn")
WAITING: Final = {
    "offered": mark("Not accepted yet"),
    "declined": mark("Declined"),
    "withdrawn": mark("Withdrawn"),
    "choosing": mark("The secret choices come first"),
}
"""The texts before a game's first action, by its status."""
TASKS: Final = {
    "move": mark("Choose a piece, then where it goes."),
    "drop": mark("Choose a piece in your hand, then its space."),
    "deed": mark("Use the buttons beside the board."),
    "plan": mark("You can plan your next action."),
    "choose": mark("Pick an enemy piece, then “Choose in secret”."),
    "chosen": mark("You have chosen. Your opponent is choosing."),
}
"""What there is to do: by the kind of the legal actions, while others act, before a game."""


def describe_words(game: Game, own: Sequence[str]) -> dict[str, Any]:
    """The words of the page's scripts for the turn and the end; `own` are the reader's sides.

    >>> players = {"first": {"side": "South"}, "second": {"side": "North"}}
    >>> game = {"variant": "katruji", "players": players}
    >>> describe_words(game, ["second"])["ends"]["0-1"], describe_words(game, [])["ends"]["0-1"]
    ('You have won', 'North has won')
    """
    first, second = (
        gettext("%(side)s has won", side=say_word(game["players"][side]["side"])) for side in SIDES
    )
    won, lost = gettext("You have won"), gettext("You have lost")
    if list(own) == ["first"]:
        first, second = won, lost
    elif list(own) == ["second"]:
        first, second = lost, won
    return {
        "turn": gettext(OWN_TURN),
        "waiting": say_all(WAITING),
        "choosing": describe_choice(game),
        "tasks": say_all(TASKS),
        "ends": {
            "1-0": first,
            "0-1": second,
            "1/2-1/2": gettext("Draw"),
            "*": gettext("No result"),
        },
        "reasons": describe_reasons(),
    }


def describe_choice(game: Game) -> str:
    """The text for a player who has yet to choose in secret; empty in games without choices.

    >>> describe_choice({"variant": "kerd"}), describe_choice({"variant": "katruji"})
    ('Choose your infiltrator in secret', '')
    """
    choice = find_board(game["variant"]).words.get("choice")
    return gettext("Choose your %(choice)s in secret", choice=say_word(choice)) if choice else ""


def say_all(texts: Mapping[str, str]) -> dict[str, str]:
    """A table's texts in the reader's language."""
    return {name: gettext(text) for name, text in texts.items()}


def describe_turn(
    game: Game, view: BoardView, own: Sequence[str], choosable: Mapping[str, Sequence[str]]
) -> tuple[str, str]:
    """Whose turn it is or how the game ended, and what the reader has to do (may be empty).

    `static/game/turn.js` gives the same texts for later changes.
    """
    newest = view.ply == game["ply"]
    if game["status"] == "finished" and newest:
        said = describe_words(game, own)["ends"][game["result"]]
        why = game["termination"]
        return f"{said}: {describe_reason(why)}" if why else said, ""
    if game["status"] in WAITING:
        said = gettext(WAITING[game["status"]])
        chosen = own and game["status"] == "choosing"
        due = "choose" if any(choosable.values()) else "chosen" if chosen else ""
        if due == "choose":
            said = describe_choice(game)
        return said, gettext(TASKS[due]) if due else ""
    if game["status"] != "running" or not newest or list(own) != [game["to_act"]]:
        return view.scene.turn, ""
    kinds = {one["kind"] for one in view.legal}
    tasks = (gettext(TASKS[kind]) for kind in (MOVE, DROP, DEED) if kind in kinds)
    return gettext(OWN_TURN), next(tasks, "")
