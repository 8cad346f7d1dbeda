"""Boards as PNG."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

import pytest

from notation.registry import find_dialect
from service.boards.png import GROUNDS, LEAST, MOST, draw_sized, resolve_style
from service.boards.rasterize import rasterize
from service.boards.registry import BOARDS
from service.boards.scene import Scene, make_scene
from service.boards.svg import load_style

VARIANTS = sorted(BOARDS)


def start(variant: str) -> Scene:
    written = find_dialect(variant)
    return make_scene(variant, written.write_fen(written.start({})))


def draw_png(scene: Scene, flipped: bool = False, dark: bool = False, **size: int | None) -> bytes:
    return rasterize(draw_sized(scene, flipped, dark=dark, **size), GROUNDS[dark])  # type: ignore[arg-type]


class Bitmap:
    """A PNG of 8-bit RGB or RGBA pixels, decoded without a library."""

    def __init__(self, data: bytes) -> None:
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        chunks = dict[bytes, bytes]()
        for kind, part in self._read(data):
            chunks[kind] = chunks.get(kind, b"") + part
        self.width, self.height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
        assert depth == 8
        self.channels = {2: 3, 6: 4}[kind]
        self.rows = list(self._unfilter(zlib.decompress(chunks[b"IDAT"])))

    @staticmethod
    def _read(data: bytes) -> Iterator[tuple[bytes, bytes]]:
        at = 8
        while at < len(data):
            (length,) = struct.unpack(">I", data[at : at + 4])
            yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
            at += 12 + length

    def _unfilter(self, data: bytes) -> Iterator[bytes]:
        size, step = self.width * self.channels, self.channels
        before = bytes(size)
        for row in range(self.height):
            at = row * (size + 1)
            kind, line = data[at], bytearray(data[at + 1 : at + 1 + size])
            for i in range(size):
                left = line[i - step] if i >= step else 0
                up, corner = before[i], before[i - step] if i >= step else 0
                guess = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
                line[i] = line[i] + (0, left, up, (left + up) // 2, guess)[kind] & 255
            before = bytes(line)
            yield before

    def colour(self, x: float, y: float) -> str:
        """The colour of a pixel, as in CSS."""
        at = int(x) * self.channels
        return f"#{self.rows[int(y)][at : at + 3].hex()}"


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_written_out(dark: bool) -> None:
    style = resolve_style(dark)
    assert "var(" not in style
    assert "--" not in style
    assert "@media" not in style
    # Every colour that was a variable is written out.
    used = re.findall(r"(?:fill|stroke|color): var\(", load_style())
    assert len(re.findall(r"(?:fill|stroke|color): #", style)) >= len(used) > 40


def test_dark_colours_are_others() -> None:
    light, dark = resolve_style(False), resolve_style(True)
    assert light != dark
    assert ".board .uczuda { fill: #355c6d; }" in light
    assert ".board .uczuda { fill: #0e2530; }" in dark


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_board_is_as_high_as_its_shape_wants(variant: str) -> None:
    scene = start(variant)
    drawn = Bitmap(draw_png(scene, width=200))
    assert drawn.width == 200
    assert drawn.height == round(200 * scene.board.height / scene.board.width)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_board_stands_in_the_middle_of_the_room_there_is(variant: str) -> None:
    scene = start(variant)
    drawn = Bitmap(draw_png(scene, width=400, height=210))
    assert (drawn.width, drawn.height) == (400, 210)
    for y in (5, 105, 205):
        assert drawn.colour(2, y) == drawn.colour(397, y) == GROUNDS[False]


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("flipped", [False, True])
def test_cells_and_pieces_are_where_they_belong(flipped: bool, dark: bool) -> None:
    scene = start("katruji")
    drawn = Bitmap(draw_png(scene, flipped, width=512, dark=dark))
    colours = dict(re.findall(r"\.board \.(\w+\.\w+) \{ fill: (#\w+)", resolve_style(dark)))
    for row in scene.board.rows:
        for cell in row:
            x, y = 2 * cell.x, 2 * cell.y
            if flipped:
                x, y = drawn.width - x, drawn.height - y
            # Beside the piece the pixel has the cell's own colour, under it another.
            own = colours[cell.look.replace(" ", ".")]
            assert drawn.colour(x + 40, y + 40) == own
            assert (drawn.colour(x, y + 20) != own) == (cell.name in scene.standing)


@pytest.mark.parametrize("variant", VARIANTS)
def test_coordinates_are_written_in_the_font_that_comes_with_it(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = start(variant)
    written = draw_png(scene, width=300)
    monkeypatch.setattr("service.boards.png.draw_picture", draw_without_labels)
    assert draw_png(scene, width=300) != written


def draw_without_labels(scene: Scene, *rest: object) -> str:
    from service.boards.svg import draw_picture

    return re.sub("<text.*?</text>", "", draw_picture(scene))


@pytest.mark.parametrize(
    ("width", "height"), [(LEAST - 1, None), (MOST + 1, None), (200, LEAST - 1), (200, MOST + 1)]
)
def test_a_size_out_of_bounds_is_refused(width: int, height: int | None) -> None:
    with pytest.raises(ValueError, match="64 to 1200 pixels"):
        draw_png(start("kerd"), width=width, height=height)


def test_the_highest_board_stays_within_bounds() -> None:
    drawn = Bitmap(draw_png(start("katruji"), width=LEAST))
    assert drawn.height == 120
    assert draw_png(start("katruji"), width=MOST)[16:24] == struct.pack(">II", MOST, MOST)
