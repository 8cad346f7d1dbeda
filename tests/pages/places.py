"""Where things are on the screen, compared with where they belong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import dist

from service.boards.registry import find_board
from service.boards.scene import map_cells, place_letters
from tests.pages.reader import Reader

NEAR = 1.5
"""Maximum distance in pixels between the centres of two things at the same place."""
Middle = tuple[float, float]
Named = list[tuple[str, Middle]]

MIDDLES = """() => {
  const middle = (one) => {
    const box = one.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const all = (name, key) => [...document.querySelectorAll(`#board [data-${name}]`)]
    .map((one) => [one.dataset[key], middle(one)]);
  const frame = document.querySelector("#board .frame svg").getBoundingClientRect();
  return {
    cells: all("cell", "cell"), pieces: all("piece", "on"), targets: all("target", "target"),
    drawn: [...document.querySelectorAll("#board [data-piece]")]
      .map((one) => [one.dataset.on, middle(one.nextElementSibling?.firstElementChild ?? one)]),
    frame: [frame.x, frame.y, frame.width, frame.height],
    fen: document.querySelector("#board .position").dataset.fen,
  };
}"""


def astray(reader: Reader, variant: str, below: str, targets: set[str]) -> list[str]:
    """What is out of place while these cells are shown as destinations.

    The side `below` must be at the bottom, every cell where the geometry has it, and each piece
    of the position and each destination in the centre of its cell, with nothing else.
    """
    seen = reader.page.evaluate(MIDDLES)
    cells = dict(seen["cells"])
    standing = place_letters(find_board(variant), seen["fen"])
    return [
        *_astray_cells(cells, seen["frame"], variant, below),
        *_off("piece", seen["pieces"], cells, set(standing)),
        *_off("drawing", seen["drawn"], cells, set(standing)),
        *_off("target", seen["targets"], cells, targets),
    ]


def _astray_cells(
    cells: Mapping[str, Middle], frame: list[float], variant: str, below: str
) -> Iterator[str]:
    left, top, width, height = frame
    drawn = find_board(variant)
    for name, cell in map_cells(drawn).items():
        across, down = cell.x / drawn.width, cell.y / drawn.height
        if below == "second":
            across, down = 1 - across, 1 - down
        own = left + across * width, top + down * height
        if dist(own, cells[name]) > NEAR:
            yield f"cell {name} is at {cells[name]}, not {own}"


def _off(kind: str, found: Named, cells: Mapping[str, Middle], expected: set[str]) -> Iterator[str]:
    if sorted(name for name, _ in found) != sorted(expected):
        yield f"{kind}s of {sorted(name for name, _ in found)}, not of {sorted(expected)}"
    for name, middle in found:
        if dist(middle, cells[name]) > NEAR:
            yield f"{kind} of {name} is at {middle}, its cell at {cells[name]}"
