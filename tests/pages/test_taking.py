"""Importing records and lines to the analysis board, annotating them, and exporting them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
RECORD = '[Variant "katruji"]\n\n1. Pd1 Pa7 $1 {so} (1... Pa6 2. Pc4 (2. Pd2)) 2. Pd2 *'
PLAIN = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
"""Makes a page like one over plain HTTP."""
SHOWN = "1. Pd1 Pa7! so (1... Pa6 2. Pc4 (2. Pd2)) 2. Pd2"


def press(reader: Reader, what: Locator) -> None:
    """Tap on a touch screen, otherwise click."""
    if reader.touches:
        what.tap()
    else:
        what.click()


def button(reader: Reader, name: str) -> Locator:
    return reader.page.get_by_role("button", name=name, exact=True)


def tree(reader: Reader) -> Locator:
    return reader.page.locator("#tree")


def taken(reader: Reader, name: str) -> str:
    """Press a copy button and return what it copies."""
    press(reader, button(reader, name))
    expect(reader.page.locator("#announce")).to_have_text("Copied.")
    return reader.page.locator("#taken").input_value()


def open_record(reader: Reader, text: str) -> None:
    """Paste a record on the analysis page."""
    reader.go("/analysis?variant=kerak")
    press(reader, reader.page.get_by_text("Share and import"))
    reader.page.locator('[name="record"]').fill(text)
    with reader.page.expect_event("load"):
        press(reader, button(reader, "Open the record"))


@SHAPES
def test_a_record_is_pasted_and_copied(opened: Opened, shape: dict[str, Any]) -> None:
    reader = opened(**shape)
    open_record(reader, RECORD)
    expect(tree(reader)).to_have_text(SHOWN)
    reader.plies(0)
    press(reader, reader.page.get_by_text("Share and import"))
    copied = taken(reader, "Copy the record")
    assert '[Variant "katruji"]' in copied
    assert copied.endswith("1. Pd1 Pa7 $1 {so} (Pa6 Pc4 (Pd2)) 2. Pd2 *\n")
    open_record(reader, copied)
    expect(tree(reader)).to_have_text(SHOWN)


def test_what_is_no_record_is_explained(opened: Opened) -> None:
    reader = opened()
    reader.expected = ("422",)
    open_record(reader, RECORD.replace("2. Pd2 *", "2. Pd9 *"))
    expect(reader.page.locator(".problem")).to_contain_text("Pd9")
    expect(reader.page.locator('[name="record"]')).to_have_value(
        RECORD.replace("2. Pd2 *", "2. Pd9 *")
    )


@SHAPES
def test_a_variation_is_promoted_and_remarked_on(opened: Opened, shape: dict[str, Any]) -> None:
    reader = opened(**shape)
    open_record(reader, RECORD)
    expect(tree(reader)).to_have_text(SHOWN)
    press(reader, tree(reader).get_by_role("button", name="1... Pa6"))
    reader.plies(2)
    reader.page.get_by_label("Glyph").select_option("5")
    reader.page.get_by_label("Comment").fill("why {not}")
    reader.page.get_by_label("Comment").press("Enter")
    expect(tree(reader)).to_contain_text("1... Pa6!? why {not)")
    press(reader, button(reader, "Make it the main line"))
    expect(tree(reader)).to_contain_text("1. Pd1 Pa6!? why {not) (1... Pa7! so 2. Pd2)")
    expect(button(reader, "Make it the main line")).to_be_hidden()
    reader.page.locator("#tree").focus()
    reader.page.keyboard.press("ArrowRight")
    reader.plies(3)
    # With the keyboard too.
    tree(reader).get_by_role("button", name="1... Pa7!").focus()
    reader.page.keyboard.press("Enter")
    reader.plies(2)
    button(reader, "Remove this variation").focus()
    reader.page.keyboard.press("Enter")
    expect(tree(reader)).not_to_contain_text("Pa7")


def test_a_line_is_shared_and_a_position_is_practised(opened: Opened) -> None:
    reader = opened("Ada")
    open_record(reader, RECORD)
    tree(reader).get_by_role("button", name="2. Pc4").click()
    reader.plies(3)
    press(reader, reader.page.get_by_text("Share and import"))
    fen = taken(reader, "Copy the position")
    expect(reader.page.locator("#board .position")).to_have_attribute("data-fen", fen)
    link = taken(reader, "Copy the link to this line")
    reader.page.goto(link)
    reader.plies(3)
    expect(tree(reader)).to_have_text("1. Pd1 Pa6 2. Pc4")
    expect(reader.page.locator("#board .position")).to_have_attribute("data-fen", fen)
    reader.page.get_by_role("link", name="Play from here against the computer").click()
    expect(reader.page.locator('[name="fen"]')).to_have_value(fen)
    expect(reader.page.locator('[name="side"]')).to_have_value("second")
    assert reader.page.locator('select[name="computer"]').input_value()


@pytest.mark.parametrize("allowed", [True, False])
def test_without_tls_the_buttons_copy_or_say_what_to_press(opened: Opened, allowed: bool) -> None:
    """There is no clipboard API then, and a browser may refuse the other way too."""
    reader = opened()
    reader.page.add_init_script(PLAIN)
    if not allowed:
        reader.page.add_init_script("document.execCommand = () => false")
    open_record(reader, RECORD)
    expect(tree(reader)).to_have_text(SHOWN)
    press(reader, reader.page.get_by_text("Share and import"))
    if allowed:
        fen = taken(reader, "Copy the position")
        field = reader.page.locator('[name="record"]')
        field.fill("")
        field.press("Control+v")
        expect(field).to_have_value(fen)
    else:
        press(reader, button(reader, "Copy the position"))
        said = "Press Ctrl and C to copy."
        expect(reader.page.locator("#announce")).to_have_text(said)
