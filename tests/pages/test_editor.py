"""Setting up a position: pieces on the board, a control for every other field, and the FEN."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])

KATRUJI = "PO1O/1S1S/1PO1/4/1O2/SP2/O3/OO1S s 3-1 c5b4 0 8"
KERAK = "ii1ni/iinvia/hiivic1/8/9/8/IIINIAI/AHIA1I/VVNIC b Ia2 0-0 17"
KERD = (
    "tjshbqkbhs1t/pppppccppppp/5pp5/12/12/12/12/12/12/5PP5/PPPPPCCPPPPP/T1SHBQKBHSJT"
    " w KQq - - ?/d1 0 Jj 9"
)
DRAFT = KERD.replace("KQq", "-").replace("Jj", "-")
POSITIONS = {"katruji": KATRUJI, "kerak": KERAK, "kerd": KERD, "kerd-draft": DRAFT}

CHANGES: dict[str, list[tuple[str, str, str, str]]] = {
    "katruji": [
        ("clock", "Quiet moves, or the timer", "4", "4"),
        ("clock", "Kyan-A-Alka", "n", "n4"),
        ("points", "North", "11", "3-11"),
        ("undo", "From", "", "-"),
        ("side", "Side", "n", "n"),
        ("move", "Number", "31", "31"),
    ],
    "kerak": [
        ("points", "Blue", "6", "0-6"),
        ("hand", "Red Infantry", "0", "a2"),
        ("hand", "Blue Archer", "1", "a"),
        ("move", "Number", "31", "31"),
        ("side", "Side", "r", "r"),
    ],
    "kerd": [
        ("castling", "White, with the Tower on a1", "", "Kq"),
        ("spent", "f2, White Commander", "on", "f2"),
        ("infiltrators", "White's infiltrator", "e11", "e11/d1"),
        ("infiltrators", "Black's infiltrator", "x", "e11/x"),
        ("checked", "So far", "1", "1"),
        ("pool", "Black Jumper", "0", "J"),
        ("side", "Side", "b", "b"),
        ("recapture", "On", "f3", "f3"),
    ],
    "kerd-draft": [
        ("spent", "f2, White Commander", "on", "f2"),
        ("checked", "So far", "1", "1"),
        ("move", "Number", "12", "12"),
    ],
}
"""The changes made through a field's controls, by label, and the field's text afterwards."""


def open_editor(reader: Reader, variant: str, fen: str) -> None:
    """Open the editor with a position."""
    reader.go(f"/analysis?variant={variant}&fen={fen.replace(' ', '+')}")
    expect(reader.page.locator("#tree")).to_have_text(
        "Play on the board: each action is kept here."
    )
    press(reader, reader.page.get_by_text("Set up a position"))
    expect(reader.page.locator("#editor fieldset").first).to_be_visible()
    says(reader, fen)


def press(reader: Reader, what: Locator) -> None:
    """Tap on a touch screen, otherwise click."""
    if reader.touches:
        what.tap()
    else:
        what.click()


def text(reader: Reader) -> Locator:
    return reader.page.locator('#editor [name="fen"]')


def says(reader: Reader, fen: str) -> None:
    """Wait until the FEN field has this value."""
    expect(text(reader)).to_have_value(fen)


def refusals(reader: Reader) -> Locator:
    return reader.page.locator("#editor .refusal:visible")


def place_pieces(reader: Reader) -> list[list[str]]:
    """The board's cells with their pieces."""
    found: list[list[str]] = reader.page.locator("#board [data-piece]").evaluate_all(
        "all => all.map((one) => [one.dataset.on, one.dataset.piece]).sort()"
    )
    return found


def change(reader: Reader, field: str, label: str, value: str) -> None:
    """Set one of a field's controls, given by its label."""
    control = reader.page.locator(f'#editor [data-field="{field}"]').get_by_label(label, exact=True)
    kind = control.evaluate("one => one.type")
    if kind == "checkbox":
        control.set_checked(value == "on")
    elif kind == "number":
        control.fill(value)
    else:
        control.select_option(value)


@SHAPES
@pytest.mark.parametrize("variant", POSITIONS)
def test_every_field_has_a_control(opened: Opened, variant: str, shape: dict[str, Any]) -> None:
    reader = opened(**shape)
    reader.expected = ("422",)
    open_editor(reader, variant, POSITIONS[variant])
    for field, label, value, _ in CHANGES[variant]:
        change(reader, field, label, value)
    texts = dict(zip(list_fields(reader), POSITIONS[variant].split(" ")[1:], strict=True))
    texts |= {field: expected for field, _, _, expected in CHANGES[variant]}
    says(reader, " ".join([POSITIONS[variant].split(" ")[0], *texts.values()]))


def list_fields(reader: Reader) -> list[str]:
    """The names of the fields in order, including those without controls."""
    found: list[str] = reader.page.locator("#editor fieldset").evaluate_all(
        "all => all.map((one) => one.dataset.field)"
    )
    return found


@SHAPES
@pytest.mark.parametrize("variant", POSITIONS)
def test_what_is_typed_is_shown_by_board_and_controls(
    opened: Opened, variant: str, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    open_editor(reader, variant, POSITIONS[variant])
    start = reader.page.evaluate(
        "async (path) => (await (await fetch(path)).json()).start",
        f"/api/v1/variants/{variant}/board",
    )
    text(reader).fill(start)
    move = reader.page.locator('#editor [data-field="move"] input')
    expect(move).to_have_value("1")
    # Changing a control rebuilds the FEN from all controls.
    move.fill("5")
    says(reader, f"{start.rpartition(' ')[0]} 5")
    text(reader).fill(POSITIONS[variant])
    expect(move).to_have_value(POSITIONS[variant].rpartition(" ")[2])
    move.fill("5")
    says(reader, f"{POSITIONS[variant].rpartition(' ')[0]} 5")
    expect(refusals(reader)).to_have_count(0)


@SHAPES
def test_a_refusal_stands_beside_its_control(opened: Opened, shape: dict[str, Any]) -> None:
    reader = opened(**shape)
    reader.expected = ("422",)
    open_editor(reader, "katruji", KATRUJI)
    expect(reader.page.locator("#editor .refusal")).to_have_count(7)
    expect(refusals(reader)).to_have_count(0)
    change(reader, "points", "South", "19")
    beside = reader.page.locator('#editor [data-field="points"] .refusal')
    expect(beside).to_contain_text("the side to move has won with 19")
    expect(refusals(reader)).to_have_count(1)
    control = reader.page.locator('#editor [data-field="points"] input').first
    assert control.get_attribute("aria-describedby") == beside.get_attribute("id")
    expect(reader.page.locator("#announce")).to_contain_text("has won with 19")
    # The button does nothing but focus the control at fault.
    press(reader, reader.page.get_by_role("button", name="Use this position"))
    expect(control).to_be_focused()
    change(reader, "points", "South", "17")
    expect(refusals(reader)).to_have_count(0)
    expect(beside).to_be_empty()


@SHAPES
@pytest.mark.parametrize("variant", POSITIONS)
def test_text_that_is_no_position_changes_nothing(
    opened: Opened, variant: str, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    reader.expected = ("422",)
    fen = POSITIONS[variant]
    open_editor(reader, variant, fen)
    stood = place_pieces(reader)
    for wrong in ("rubbish", fen.rpartition(" ")[0], f"/{fen}"):
        text(reader).fill(wrong)
        expect(refusals(reader)).to_have_count(1)
        expect(reader.page.locator("#refused-fen")).to_be_visible()
        place = reader.page.locator("#board .position")
        expect(place).to_have_attribute("data-fen", fen)
        assert place_pieces(reader) == stood
    move = reader.page.locator('#editor [data-field="move"] input')
    expect(move).to_have_value(fen.rpartition(" ")[2])
    move.fill("6")
    says(reader, f"{fen.rpartition(' ')[0]} 6")
    expect(refusals(reader)).to_have_count(0)


@SHAPES
@pytest.mark.parametrize("below", ["first", "second"])
def test_pieces_are_put_and_taken_off(opened: Opened, shape: dict[str, Any], below: str) -> None:
    reader = opened(**shape)
    reader.expected = ("422",)
    open_editor(reader, "katruji", KATRUJI)
    if below == "second":
        press(reader, reader.page.get_by_label("Flip the board"))
    press(reader, reader.page.get_by_role("button", name="Empty the board"))
    says(reader, "4/4/4/4/4/4/4/4 s 3-1 - 0 8")
    expect(reader.page.locator("#refused-placement")).to_contain_text("no piece")
    press(reader, reader.page.get_by_role("button", name="Hutu (Private)"))
    hand = reader.page.touchscreen.tap if reader.touches else reader.page.mouse.click
    hands.see_board(reader)
    for cell in ("a1", "c4", "c4", "b8"):
        hand(*hands.place(reader, cell))
    says(reader, "1P2/4/4/4/4/4/4/P3 s 3-1 - 0 8")
    expect(refusals(reader)).to_have_count(0)
    reader.cell("d2").focus()
    reader.page.keyboard.press("Enter")
    says(reader, "1P2/4/4/4/4/4/3P/P3 s 3-1 - 0 8")
    reader.send("Use this position")
    expect(reader.page.locator("#fen")).to_have_text("1P2/4/4/4/4/4/3P/P3 s 3-1 - 0 8")


@SHAPES
def test_a_position_being_set_up_is_kept_when_the_board_is_turned(
    opened: Opened, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    reader.expected = ("422",)
    open_editor(reader, "katruji", KATRUJI)
    change(reader, "move", "Number", "31")
    press(reader, reader.page.get_by_role("button", name="Empty the board"))
    piece = reader.page.get_by_role("button", name="Hutu (Private)")
    press(reader, piece)
    # The click of a finger comes after the tap has ended.
    expect(piece).to_have_attribute("aria-pressed", "true")
    reader.cell("a1").focus()
    reader.page.keyboard.press("Enter")
    fen = "4/4/4/4/4/4/4/P3 s 3-1 - 0 31"
    says(reader, fen)
    for below in ("second", "first"):
        press(reader, reader.page.get_by_label("Flip the board"))
        expect(reader.page.locator("#board .position")).to_have_attribute("data-below", below)
        says(reader, fen)
        assert place_pieces(reader) == [["a1", "South's Hutu (Private)"]]
