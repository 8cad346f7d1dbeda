"""A hand on a board: it clicks, drags, taps or swipes where things are on the screen, or types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import dist

from tests.pages.reader import Reader

Place = tuple[float, float]
Hand = Callable[[Reader, str, str], None]
"""What brings a piece from a cell, or a kind in hand, to a cell."""
STEPS = 4
FINGER = 5.0
"""Pixels that a dragged piece may be from the pointer."""
SQUARE = re.compile(r"[a-l]\d{1,2}")

CENTRE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def place(reader: Reader, what: str) -> Place:
    """The middle of a cell, or of a kind in hand (`hand I`), on the screen."""
    held = what.removeprefix("hand ")
    attribute = f'data-cell="{what}"' if held == what else f'data-hand="{held}"'
    x, y = reader.page.evaluate(CENTRE, f"#board [{attribute}]")
    return x, y


def see_board(reader: Reader) -> None:
    """Scroll to where the whole board can be seen, as far as the window allows."""
    reader.page.evaluate("document.querySelector('.frame').scrollIntoView({block: 'center'})")


def check_ghost(reader: Reader, x: float, y: float) -> None:
    """The dragged piece is where the pointer is."""
    ghosts = reader.page.locator(".ghost")
    assert ghosts.count() == 1
    at = reader.page.evaluate(CENTRE, ".ghost")
    assert dist(at, (x, y)) <= FINGER, f"the pointer is at {x, y}, the piece at {at}"


def click(reader: Reader, start: str, end: str) -> None:
    """Click both with the mouse."""
    reader.page.mouse.click(*place(reader, start))
    reader.page.mouse.click(*place(reader, end))


def drag(reader: Reader, start: str, end: str) -> None:
    """Drag with the mouse."""
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
    """Drag with a finger."""
    for at in move_finger(reader, start, end):
        check_ghost(reader, *at)


def scroll(reader: Reader, start: str, end: str) -> None:
    """Move a finger from a cell that nothing can be brought from."""
    for _ in move_finger(reader, start, end):
        assert reader.page.locator(".ghost").count() == 0


def move_finger(reader: Reader, start: str, end: str) -> Iterator[Place]:
    """Yield each place of a finger on its way from a cell to another."""
    begin = place(reader, start)
    with reader.finger() as touch:
        touch("touchStart", begin)
        for at in way(begin, place(reader, end)):
            touch("touchMove", at)
            yield at
        touch("touchEnd")


def press_keys(reader: Reader, start: str, end: str) -> None:
    """Choose both by the keyboard."""
    for what in (start, end):
        held = what.removeprefix("hand ")
        attribute = f'data-cell="{what}"' if held == what else f'data-hand="{held}"'
        reader.page.locator(f"#board [{attribute}]").focus()
        reader.page.keyboard.press("Enter")


def way(start: Place, end: Place) -> Sequence[Place]:
    """The points at which a drag is looked at, the last of them its end."""
    return [
        tuple(a + (b - a) * step / STEPS for a, b in zip(start, end, strict=True))  # type: ignore[misc]
        for step in range(1, STEPS + 1)
    ]


def ends_of(action: str) -> tuple[str, str] | None:
    """Where an action in coordinate form begins and ends on the board; None if it moves nothing."""
    cells = SQUARE.findall(action)
    if "@" in action:
        return f"hand {action[0]}", cells[0]
    if ":" in action or not cells:
        return None
    return cells[0], cells[1]
