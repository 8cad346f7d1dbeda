"""Ways to move pieces on a board by screen position: click, drag, tap and swipe; or by keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import dist

from tests.pages.reader import Reader

Place = tuple[float, float]
Hand = Callable[[Reader, str, str], None]
"""Brings a piece from a cell, or one of a kind in hand, to a cell."""
STEPS = 4
FINGER = 5.0
"""Maximum distance of a dragged piece from the pointer, in pixels."""
SQUARE = re.compile(r"[a-l]\d{1,2}")

CENTRE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def place(reader: Reader, what: str) -> Place:
    """The centre of a cell, or of a kind in hand (`hand I`), on the screen."""
    held = what.removeprefix("hand ")
    attribute = f'data-cell="{what}"' if held == what else f'data-hand="{held}"'
    x, y = reader.page.evaluate(CENTRE, f"#board [{attribute}]")
    return x, y


def see_board(reader: Reader) -> None:
    """Scroll the whole board into view, as far as the window allows."""
    reader.page.evaluate("document.querySelector('.frame').scrollIntoView({block: 'center'})")


def check_ghost(reader: Reader, x: float, y: float) -> None:
    """Check that the dragged piece is at the pointer."""
    ghosts = reader.page.locator(".ghost")
    assert ghosts.count() == 1
    at = reader.page.evaluate(CENTRE, ".ghost")
    assert dist(at, (x, y)) <= FINGER, f"the pointer is at {x, y}, the piece at {at}"


def click(reader: Reader, start: str, end: str) -> None:
    """Click both with the mouse."""
    reader.page.mouse.click(*place(reader, start))
    reader.page.mouse.click(*place(reader, end))


def drag(reader: Reader, start: str, end: str) -> None:
    """Drag a piece with the mouse."""
    mouse = reader.page.mouse
    mouse.move(*place(reader, start))
    mouse.down()
    for x, y in way(place(reader, start), place(reader, end)):
        mouse.move(x, y)
        check_ghost(reader, x, y)
    mouse.up()


def tap(reader: Reader, start: str, end: str) -> None:
    """Tap both with a finger."""
    reader.page.touchscreen.tap(*place(reader, start))
    reader.page.touchscreen.tap(*place(reader, end))


def swipe(reader: Reader, start: str, end: str) -> None:
    """Drag a piece with a finger."""
    for at in move_finger(reader, start, end):
        check_ghost(reader, *at)


def scroll(reader: Reader, start: str, end: str) -> None:
    """Move a finger from a cell that has nothing to drag."""
    for _ in move_finger(reader, start, end):
        assert reader.page.locator(".ghost").count() == 0


def move_finger(reader: Reader, start: str, end: str) -> Iterator[Place]:
    """Yield each place of a finger on its way from one cell to another."""
    begin = place(reader, start)
    with reader.finger() as touch:
        touch("touchStart", begin)
        for at in way(begin, place(reader, end)):
            touch("touchMove", at)
            yield at
        touch("touchEnd")


def press_keys(reader: Reader, start: str, end: str) -> None:
    """Select both with the keyboard."""
    for what in (start, end):
        held = what.removeprefix("hand ")
        attribute = f'data-cell="{what}"' if held == what else f'data-hand="{held}"'
        reader.page.locator(f"#board [{attribute}]").focus()
        reader.page.keyboard.press("Enter")


def way(start: Place, end: Place) -> Sequence[Place]:
    """The points at which a drag is checked, the last being its end."""
    return [
        tuple(a + (b - a) * step / STEPS for a, b in zip(start, end, strict=True))  # type: ignore[misc]
        for step in range(1, STEPS + 1)
    ]


def ends_of(action: str) -> tuple[str, str] | None:
    """Origin and target of an action in coordinate form on the board; None if it moves nothing."""
    cells = SQUARE.findall(action)
    if "@" in action:
        return f"hand {action[0]}", cells[0]
    if ":" in action or not cells:
        return None
    return cells[0], cells[1]
