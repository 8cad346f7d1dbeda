"""Two people play whole games, each in their own browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from playwright.sync_api import expect

from notation.registry import find_dialect
from tests.pages.conftest import Opened
from tests.pages.reader import Reader

ALL_BUT_FOUR = "niiai/1vivia/i1hcnai/8/9/8/IAAIAIV/NIIIVI/IH2N r ICi2 0-0 17"
"""Kerak with two pieces in each hand."""
FENS = {"kerak": ALL_BUT_FOUR}
CHOICES = {"kerd": ("f11", "e2"), "kerd-draft": ("f11", "e2")}
GAMES = {
    "katruji": (
        "Pc4 Scb7=O Pb4 Sa8 Pb5 Obb8 Pd3 Pa4 Kyan Sab3 Od8c7 Sd1 Oba7 Sb4=O Alka",
        *("1-0", "Alka"),
    ),
    "kerak": (
        "I@c3 I@d9 C@d2 I@d8 Id5 Hc6 Id6 Ne6 Ae4 Ah3 Ae5 Hb8 Ixe6 Hxa7 Ixf6#",
        *("1-0", "the Castle was captured"),
    ),
    "kerd": ("X:e2 h9 Hc3 X:h12 Qb5 g9 Qxi12#", "1-0", "checkmate"),
    "kerd-draft": ("Cf4&f5 i10 b3 Sc5+ R:f11+ Sxg1#", "0-1", "the King was captured"),
}
"""Short games: the actions, the result, the termination."""


def begun(
    opened: Opened, variant: str, shapes: Sequence[Mapping[str, object]] = ({}, {})
) -> tuple[Reader, Reader]:
    """Begin a game; returns both players, the first side's first, with browsers of these shapes."""
    first, second = opened("Ada", **shapes[0]), opened("Brahim", **shapes[1])
    first.go(f"/games/new?variant={variant}&side=first")
    if fen := FENS.get(variant):
        first.page.get_by_text("Terms", exact=True).click()
        first.page.get_by_label("First position (FEN)").fill(fen)
    first.press("Create")
    expect(first.page.locator("#state")).to_contain_text("Waiting for the opponent")
    expect(first.page.locator(".turn")).to_have_text("Not accepted yet")
    second.go(first.page.url)
    second.press("Accept the challenge")
    return first, second


@pytest.mark.parametrize("variant", GAMES)
def test_a_whole_game_is_played_and_replayed(opened: Opened, variant: str) -> None:
    sans, result, end = GAMES[variant]
    players = begun(opened, variant)
    for player, square in zip(players, CHOICES.get(variant, ()), strict=False):
        expect(player.page.locator(".choose")).to_be_visible()
        expect(player.page.locator("#board .hint")).to_have_count(20)
        player.cell(square).click()
        player.press("Choose in secret")
        expect(player.page.locator(".choices")).to_contain_text(f": {square}")
    written = find_dialect(variant)
    tags = dict(
        zip(("WhiteInfiltrator", "BlackInfiltrator"), CHOICES.get(variant, ()), strict=False)
    )
    position = written.start({"FEN": FENS[variant]} if variant in FENS else tags)
    for ply, san in enumerate(sans.split()):
        action = written.resolve(position, san)
        for player in players:
            player.plies(ply)
        mover = players[position.side]
        expect(mover.page.locator("#act")).to_be_visible()
        # A player who waits can plan with their own hand, but not use the other side's.
        side = ("first", "second")[position.side]
        others = players[not position.side].page.locator(f'[data-side="{side}"] [data-hand]')
        expect(others).to_have_count(0)
        mover.play(written.coordinate(action), dragging=ply % 3 == 2)
        position.play(action)
    for player in players:
        player.plies(len(sans.split()))
        expect(player.page.locator(".result")).to_have_text(result)
        expect(player.page.locator(".headline")).to_contain_text(end)
    first, _ = players
    first.page.keyboard.press("Home")
    first.plies(0)
    for ply in range(1, 4):
        first.page.keyboard.press("ArrowRight")
        first.plies(ply)
    first.page.keyboard.press("End")
    first.plies(len(sans.split()))
