"""Whole games by keyboard, reading only what Chromium exposes to screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from playwright.sync_api import CDPSession

from notation.registry import find_dialect
from service.boards.described_actions import name_deed
from service.boards.registry import find_board
from service.boards.scene import map_cells
from tests.pages.conftest import Opened
from tests.pages.hands import ends_of
from tests.pages.reader import Reader
from tests.pages.test_board import begin
from tests.pages.test_game_page import timed
from tests.pages.test_playing import CHOICES, FENS, GAMES
from tests.service.web_server import WebServer

PATIENCE = 90.0
"""Seconds in which a page must announce what is expected on a busy machine."""
FARTHEST = 150
"""Presses of Tab that are enough to reach everything on a page."""
STEPS = 40
"""Presses of arrow keys that are enough to reach every cell."""
ON_BOARD = 4
"""Actions played on the board before the others are typed."""
HELD = {"I": "(Red|Blue) Infantry", "C": "(Red|Blue) Castle"}
"""The names of the kinds in Kerak's hands."""

DEEDS = {
    "X": "Execute the piece on ",
    "Kyan": "Declare Kyan-A-Alka",
    "Alka": "Claim Alka",
}
"""The buttons of actions without a destination on the board."""
ARMY = 18
"""Pieces of each side in Kerak."""


class Node(NamedTuple):
    """A node of the accessibility tree, as a screen reader has it."""

    role: str
    name: str
    inside: tuple[str, ...]


class Listener:
    """Somebody who cannot see the page: they press keys, and hear roles and names."""

    def __init__(self, reader: Reader) -> None:
        self.keys = reader.page.keyboard
        self._session: CDPSession = reader.page.context.new_cdp_session(reader.page)
        self._session.send("Accessibility.enable")

    def nodes(self) -> Iterator[Node]:
        """Yield the page's accessible nodes in order."""
        told = self._session.send("Accessibility.getFullAXTree")["nodes"]
        known: dict[str, dict[str, Any]] = {one["nodeId"]: one for one in told}
        for one in told:
            if one.get("ignored"):
                continue
            yield Node(role(one), name(one), tuple(roles_above(one, known)))

    def await_words(self, words: str, inside: str | None = None) -> None:
        """Wait until these words are exposed, within a node of the role `inside` if given."""
        until, heard = monotonic() + PATIENCE, list[str]()
        while monotonic() < until:
            heard = [
                one.name
                for one in self.nodes()
                if one.name and (inside is None or inside in (one.role, *one.inside))
            ]
            if any(words in one for one in heard):
                return
        raise AssertionError(f"{words!r} is not told ({inside}): {heard[-40:]}")

    def tab_to(self, role: str, words: str) -> str:
        """Press Tab until the focus has this role and a name with these words; returns the name."""
        passed = []
        for _ in range(FARTHEST):
            self.keys.press("Tab")
            at = self.focus()
            if at is None:
                continue
            if re.fullmatch(role, at.role) and re.search(words, at.name):
                return at.name
            passed.append(f"{at.role} {at.name}")
        raise AssertionError(f"Tab does not reach the {role} {words!r}: {passed}")

    def focus(self) -> Node | None:
        """The focused node; None if it is the page itself."""
        at = self._session.send("Runtime.evaluate", {"expression": "document.activeElement"})
        wanted = {"objectId": at["result"]["objectId"], "fetchRelatives": False}
        (one,) = self._session.send("Accessibility.getPartialAXTree", wanted)["nodes"]
        if one.get("ignored") or role(one) == "RootWebArea":
            return None
        return Node(role(one), name(one), ())

    def use(self, role: str, words: str) -> None:
        """Focus a node and press Enter."""
        self.tab_to(role, words)
        self.keys.press("Enter")

    def type_action(self, san: str) -> None:
        """Type an action into its field and send it."""
        at = self.focus()
        if at is None or "Your action" not in at.name:
            self.tab_to("combobox|textbox", "^Your action")
        self.keys.press("Control+a")
        self.keys.type(san)
        self.keys.press("Enter")

    def bring(self, variant: str, start: str, end: str, flipped: bool) -> None:
        """Play from a cell, or from the hand, to a cell."""
        if start.startswith("hand "):
            self.use("button", f"^{HELD[start[5:]]}")
        for cell in (end,) if start.startswith("hand ") else (start, end):
            self.walk(variant, cell, flipped)
            self.keys.press("Enter")

    def do_deed(self, variant: str, action: str, flipped: bool) -> None:
        """Play an action without a destination: press its button, then confirm."""
        word, _, cell = action.partition(":")
        if cell:
            self.walk(variant, cell, flipped)
            self.keys.press("Enter")
        self.use("button", f"^{DEEDS[word]}{cell}$")
        self.use("button", "^Yes, ")

    def count_pieces(self, side: str) -> int:
        """The number of a side's pieces that the board exposes."""
        return sum(f", {side} " in one.name for one in self.nodes() if one.role == "gridcell")

    def walk(self, variant: str, cell: str, flipped: bool) -> None:
        """Go to a cell by arrow keys, as this side sees the board."""
        cells = map_cells(find_board(variant))
        at = self.focus()
        if at is None or at.role != "gridcell":
            self.tab_to("gridcell", "")
        for _ in range(STEPS):
            at = self.focus()
            assert at is not None
            here, aim = cells[at.name.partition(",")[0]], cells[cell]
            if here is aim:
                return
            right, down = (aim.x - here.x, aim.y - here.y)
            if flipped:
                right, down = -right, -down
            vertical = "ArrowDown" if down > 0 else "ArrowUp"
            self.keys.press(
                vertical if abs(down) > 1 else "ArrowRight" if right > 0 else "ArrowLeft"
            )
        raise AssertionError(f"the arrows do not reach {cell}")


def role(node: dict[str, Any]) -> str:
    return str(node.get("role", {}).get("value", ""))


def name(node: dict[str, Any]) -> str:
    return str(node.get("name", {}).get("value", ""))


def roles_above(node: dict[str, Any], known: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the roles of a node's ancestors."""
    while (above := known.get(node.get("parentId", ""))) is not None:
        yield role(above)
        node = above


def sit_down(opened: Opened, variant: str, fen: str | None = None) -> tuple[Listener, Listener]:
    """Let one guest offer a game, perhaps from a position, and another accept it."""
    first, second = opened(), opened()
    wish = {"variant": variant, "side": "first"} | ({"fen": fen} if fen else {})
    one, other = Listener(first), Listener(second)
    for reader, listener, path in (
        (first, one, f"/games/new?{urlencode(wish)}"),
        (second, other, ""),
    ):
        reader.expected = ("422",)
        where = path or first.page.url.removeprefix(first.url)
        reader.go(f"/sign-in?{urlencode({'next': where})}")
        listener.use("button", "^Play as a guest$")
        reader.page.wait_for_url(f"**{where}")
        if path:
            listener.use("button", "^Create$")
            listener.await_words("Waiting for the opponent")
    other.use("button", "^Accept the challenge$")
    return one, other


def choose(player: Listener, variant: str, square: str, on_board: bool) -> None:
    """Choose an infiltrator, on the board or in its field."""
    player.await_words("Choose in secret")
    if on_board:
        player.walk(variant, square, flipped=True)
        player.keys.press("Enter")
        player.await_words(f"{square} is picked", inside="status")
        player.use("button", "^Choose in secret$")
    else:
        player.tab_to("combobox|textbox", "^Secret choice")
        player.keys.type(square)
        player.keys.press("Enter")
    player.await_words(f"Infiltrator of {('White', 'Black')[on_board]}: {square}")


@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_a_whole_game_is_played_by_keys_and_ears(opened: Opened, variant: str) -> None:
    sans, result, _ = GAMES[variant]
    players = sit_down(opened, variant, FENS.get(variant))
    picks = CHOICES.get(variant, ())
    for side, square in enumerate(picks):
        choose(players[side], variant, square, on_board=bool(side))
    written, position = find_dialect(variant), begin(variant, picks)
    for ply, san in enumerate(sans.split()):
        action = written.resolve(position, san)
        mover, other = players[position.side], players[not position.side]
        mover.await_words("Your turn")
        if not ply:
            mover.type_action("Zz99")
            mover.await_words("Zz99", inside="alert")
        where = ends_of(written.coordinate(action))
        # Each side plays its first actions on the board, and types the rest.
        if where is None:
            mover.do_deed(variant, written.coordinate(action), flipped=bool(position.side))
        elif ply < ON_BOARD:
            mover.bring(variant, *where, flipped=bool(position.side))
        else:
            mover.type_action(san)
        position.play(action)
        said = name_deed(variant, written.coordinate(action)) or san
        other.await_words(f"{said}.", inside="status")
    won = 0 if result == "1-0" else 1
    players[won].await_words("You have won: ", inside="status")
    players[1 - won].await_words("You have lost: ", inside="status")


def test_an_army_is_placed_by_keys_and_its_rest_by_chance(opened: Opened) -> None:
    players = one, other = sit_down(opened, "kerak")
    for ply, (start, end) in enumerate((("hand C", "c3"), ("hand C", "g7"))):
        players[ply].await_words("Your turn")
        players[ply].bring("kerak", start, end, flipped=bool(ply))
    for player in players:
        player.await_words("C@g7.", inside="status")
    for player in players:
        player.use("button", "^Place the rest at random$")
    one.await_words("Choose a piece, then where it goes.")
    other.await_words("You can plan your next action.")
    for player in players:
        assert [player.count_pieces(side) for side in ("Red", "Blue")] == [ARMY, ARMY]
    one.use("DisclosureTriangle", "^Resign")
    one.use("button", "^Yes, resign")
    other.await_words("You have won: resignation", inside="status")


def test_resigning_and_its_end_are_told(opened: Opened) -> None:
    one, other = sit_down(opened, "katruji")
    one.await_words("Your turn")
    other.use("DisclosureTriangle", "^Resign")
    other.use("button", "^Yes, resign")
    other.await_words("You have lost: resignation", inside="status")
    one.await_words("You have won: resignation", inside="status")


def test_the_clocks_are_told_to_who_asks(opened: Opened, server: WebServer) -> None:
    reader = opened("Ada")
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(timed(server, "katruji", reader.player, other))
    listener = Listener(reader)
    listener.await_words("Clock of South", inside="timer")
    listener.await_words("5:00", inside="timer")
