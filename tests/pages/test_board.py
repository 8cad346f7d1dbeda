"""Random games on the board: every action lands, and everything is drawn where it belongs.

Both sides play, each by mouse or by finger. Recaptures and moves of the piece that moved last are
preferred, since these pieces are under the highlight of the last action.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import requests
from playwright.sync_api import Error, expect

from engine.position import Position
from engine.registry import VARIANTS
from notation.registry import find_dialect
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.hands import Hand, ends_of
from tests.pages.places import astray
from tests.pages.reader import Reader
from tests.pages.test_playing import CHOICES, FENS, begun
from tests.service.api.live import SILENCE, bearer, post
from tests.service.web_server import WebServer

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
MOUSE = (hands.click, hands.drag, hands.press_keys)
FINGER = (hands.tap, hands.swipe)
SHOWN = 20_000
"""Milliseconds after which an action not yet shown counts as lost."""
TOUCHING, TAKING, DEED = 8, 4, 0.2
"""Weights of actions that touch the last one's cells, that capture, and that move nothing."""


def legal(reader: Reader) -> list[str]:
    """The actions that the service offers in the game on the reader's page."""
    assert reader.player is not None
    game = reader.page.url.removeprefix(reader.url).partition("?")[0]
    path = f"{reader.url}/api/v1{game}/legal"
    found = requests.get(path, headers=bearer(reader.player), timeout=SILENCE).json()
    return [one["action"] for one in found["actions"]]


def chosen(random: Random, actions: list[str], position: Position, last: str, variant: str) -> str:
    """A random action that does not end the game, weighted towards those that may be obstructed."""
    written = find_dialect(variant)
    kept = [a for a in actions if not ends(position, written.resolve(position, a))]
    weights = []
    for action in kept:
        cells = hands.SQUARE.findall(action)
        touching = set(cells) & set(hands.SQUARE.findall(last))
        taking = "x" in written.san(position, written.resolve(position, action))
        weight = (TOUCHING if touching else 1) * (TAKING if taking else 1)
        weights.append(DEED if ends_of(action) is None else weight)
    return random.choices(kept, weights)[0]


def ends(position: Position, action: Any) -> bool:
    """Whether an action ends the game."""
    after = position.copy()
    after.play(action)
    return after.outcome() is not None


def do(reader: Reader, action: str, hand: Hand) -> None:
    """Play an action on the board, and answer the question if it is ambiguous."""
    where = ends_of(action)
    if where is None:
        reader.play(action)
        return
    hand(reader, *where)
    several = [a for a in legal(reader) if ends_of(a) == where]
    if len(several) > 1:
        reader.page.locator(f'#chooser button[value="{action}"]').click()


def destinations(reader: Reader, action: str) -> set[str]:
    """The destinations of the piece that this action moves."""
    where = ends_of(action)
    found = [ends_of(one) for one in legal(reader)]
    return {one[1] for one in found if one and where and one[0] == where[0]}


def choose(reader: Reader, square: str, variant: str, below: str) -> None:
    """Choose an infiltrator on the board; every candidate must be marked on its square."""
    form = reader.page.locator("form.choose")
    expect(form).to_be_visible()
    cells = set((form.get_attribute("data-choosable") or "").split())
    assert square in cells
    assert astray(reader, variant, below, cells) == []
    hands.see_board(reader)
    reader.page.mouse.click(*hands.place(reader, square))
    expect(form.locator("[name=square]")).to_have_value(square)
    reader.press("Choose in secret")
    expect(reader.page.locator(".choices")).to_contain_text(f": {square}")


def walk(
    opened: Opened,
    server: WebServer,
    variant: str,
    shapes: tuple[dict[str, Any], ...],
    plies: int,
    seed: str,
) -> None:
    """Let two players in browsers of these shapes play `plies` random actions on their boards."""
    random = Random(seed)
    players = begun(opened, variant, shapes)
    below = ("first", "second")
    picks = CHOICES.get(variant, ())
    for player, square, nearest in zip(players, picks, below, strict=False):
        choose(player, square, variant, nearest)
        if player is players[0]:
            told = player.page.locator(".task")
            expect(told).to_have_text("You have chosen. Your opponent is choosing.")
    position = begin(variant, picks)
    path = players[0].page.url.removeprefix(server.url).partition("?")[0]
    last, wrong = "", []
    for ply in range(plies):
        for player in players:
            player.plies(ply)
        side = int(position.side)
        mover = players[side]
        expect(mover.page.locator("#act")).to_be_visible()
        action = chosen(random, legal(mover), position, last, variant)
        means = FINGER if shapes[side] is PHONE else MOUSE
        hand = means[ply // 2 % len(means)]
        # After a placement, the kind in hand stays selected.
        mover.page.keyboard.press("Escape")
        hands.see_board(mover)
        wrong += astray(mover, variant, below[side], set())
        wrong += shown_wrong(mover, action, variant, below[side])
        try:
            do(mover, action, hand)
            shown = mover.page.locator(f'#board .position[data-ply="{ply + 1}"]')
            expect(shown).to_be_attached(timeout=SHOWN)
            expect(players[1 - side].page.locator("#board .position")).to_have_attribute(
                "data-ply", str(ply + 1), timeout=SHOWN
            )
        except (AssertionError, Error) as error:
            wrong.append(f"{action} by {hand.__name__} after {last}: {str(error).splitlines()[0]}")
            mover.page.keyboard.press("Escape")
            assert mover.player is not None
            post(server, f"{path}/actions", {"action": action}, mover.player)
        position.play(find_dialect(variant).resolve(position, action))
        last = action
    assert wrong == []


def begin(variant: str, picks: tuple[str, ...]) -> Position:
    """The position that `begun` sets up, with the infiltrators chosen."""
    tags = dict(zip(("WhiteInfiltrator", "BlackInfiltrator"), picks, strict=False))
    return find_dialect(variant).start({"FEN": FENS[variant]} if variant in FENS else tags)


def shown_wrong(mover: Reader, action: str, variant: str, below: str) -> list[str]:
    """What is out of place while an action's piece is selected, and after it is deselected."""
    where = ends_of(action)
    if where is None:
        return []
    hit = mover.page.touchscreen.tap if mover.touches else mover.page.mouse.click
    hit(*hands.place(mover, where[0]))
    expect_chosen(mover, where[0], True)
    wrong = astray(mover, variant, below, destinations(mover, action))
    hit(*hands.place(mover, where[0]))
    expect_chosen(mover, where[0], False)
    return wrong + astray(mover, variant, below, set())


def expect_chosen(reader: Reader, what: str, chosen: bool) -> None:
    """Wait until a cell, or a kind in hand (`hand I`), is chosen or not: a tap takes its time."""
    held = what.removeprefix("hand ")
    if held == what:
        expect(reader.page.locator("#board .chosen")).to_have_count(int(chosen))
    else:
        button = reader.page.locator(f'#board [data-hand="{held}"]')
        expect(button).to_have_attribute("aria-pressed", str(chosen).lower())


SHAPES = pytest.mark.parametrize(
    "shapes", [(DESK, PHONE), (PHONE, DESK)], ids=["mouse-finger", "finger-mouse"]
)


@SHAPES
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_action_lands_and_nothing_is_astray(
    opened: Opened, server: WebServer, variant: str, shapes: tuple[dict[str, Any], ...]
) -> None:
    walk(opened, server, variant, shapes, 24, f"{variant} {shapes[0] is PHONE}")


@pytest.mark.soak
@SHAPES
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_action_of_a_long_walk_lands(
    opened: Opened, server: WebServer, variant: str, shapes: tuple[dict[str, Any], ...]
) -> None:
    walk(opened, server, variant, shapes, 400, f"long {variant} {shapes[0] is PHONE}")
