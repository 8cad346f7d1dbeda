"""Figures drawn as SVG: panels of lines, both axes logarithmic. Pure.

A picture is self-contained: light and dark follow the reader's settings, title and description say
in words what is drawn, and the same figures give the same text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

COLUMNS: Final = 2
WIDTH: Final = 360
"""The width of a panel with its numbers, in the same unit as all lengths here."""
HEIGHT: Final = 264
LEFT: Final = 56
RIGHT: Final = 344
TOP: Final = 58
BOTTOM: Final = 214
STEPS: Final = (1.0, 2.0, 5.0, 10.0)
"""Where an axis may begin, end and have numbers, in each decade."""
ROOM: Final = 7
"""The width of a character in the row of names."""

STYLE: Final = """
text{font:13px system-ui,sans-serif;fill:#1c1e21}.n{font-size:12px;fill:#55595f}
.t{font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}
.bg{fill:#fff}.g{stroke:#d0d4d9}.l{fill:none;stroke-width:2;stroke-linejoin:round}
.d{stroke-dasharray:5 4}.s0{stroke:#1a5fb4}.s1{stroke:#9a5b00}.s2{stroke:#23713a}
.p0{fill:#1a5fb4}.p1{fill:#9a5b00}.p2{fill:#23713a}
@media (prefers-color-scheme:dark){
text{fill:#e8eaed}.n{fill:#b0b5bc}.bg{fill:#15171b}.g{stroke:#3a3f46}
.s0{stroke:#7cb3ff}.s1{stroke:#f0b64a}.s2{stroke:#7fd48e}
.p0{fill:#7cb3ff}.p1{fill:#f0b64a}.p2{fill:#7fd48e}}
"""


@dataclass(frozen=True, slots=True)
class Line:
    """Positive values at positive places, in the colour of a series (0 to 2)."""

    name: str
    series: int
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    """A dashed line gets no name; its panel's title says what it is."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over one axis: `title` has the unit of their values, `across` that of their places."""

    title: str
    across: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis from `low` at `start` to `high` at `end`, in the picture's units."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """The position of a value."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.start + share * (self.end - self.start), 1)


def draw(title: str, panels: Sequence[Panel]) -> str:
    """The panels as one SVG, side by side and in rows."""
    rows = math.ceil(len(panels) / COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    described = "; ".join(panel.title for panel in panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        ' aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(described)}, by {escape(panels[0].across)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="bg" width="{width}" height="{height}"/>',
    ]
    for number, panel in enumerate(panels):
        row, column = divmod(number, COLUMNS)
        parts.append(f'<g transform="translate({column * WIDTH} {row * HEIGHT})">')
        parts += [*draw_panel(panel), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def draw_names(panel: Panel) -> Iterator[str]:
    """A row with each line's name after a sample of it."""
    across = 16
    for line in panel.lines:
        if not line.dashed:
            yield f'<path class="{line_class(line)}" d="M{across} 40h20"/>'
            yield f'<text class="n" x="{across + 26}" y="44">{escape(line.name)}</text>'
            across += 44 + ROOM * len(line.name)


def draw_panel(panel: Panel) -> Iterator[str]:
    """A panel with its numbers and lines."""
    places = sorted({place for line in panel.lines for place, _ in line.points})
    values = [value for line in panel.lines for _, value in line.points]
    low, high = floor_step(min(values)), ceil_step(max(values))
    if low == high:
        high = ceil_step(1.01 * low)
    across = Axis(places[0], places[-1], LEFT + 10, RIGHT - 14)
    upward = Axis(low, high, BOTTOM, TOP)
    yield f'<text class="t" x="16" y="20">{escape(panel.title)}</text>'
    yield from draw_names(panel)
    for value in list_steps(low, high):
        y = upward.place(value)
        yield f'<path class="g" d="M{LEFT} {y:g}H{RIGHT}"/>'
        yield f'<text class="n e" x="{LEFT - 6}" y="{y + 4:g}">{write_number(value)}</text>'
    for place in places:
        x = across.place(place)
        yield f'<path class="g" d="M{x:g} {BOTTOM}v5"/>'
        yield f'<text class="n m" x="{x:g}" y="{BOTTOM + 19}">{write_number(place)}</text>'
    middle = (LEFT + RIGHT) / 2
    yield f'<text class="n m" x="{middle:g}" y="{BOTTOM + 38}">{escape(panel.across)}</text>'
    for line in panel.lines:
        at = [(across.place(place), upward.place(value)) for place, value in line.points]
        path = "L".join(f"{x:g} {y:g}" for x, y in at)
        yield f'<path class="{line_class(line)}" d="M{path}"/>'
        for x, y in at:
            yield f'<circle class="p{line.series}" cx="{x:g}" cy="{y:g}" r="3"/>'


def line_class(line: Line) -> str:
    """The classes of a line's path."""
    return f"l s{line.series}{' d' if line.dashed else ''}"


def floor_step(value: float) -> float:
    """The largest step that is at most the value."""
    decade = 10.0 ** math.floor(math.log10(value))
    return decade * max(step for step in STEPS if step * decade <= value * 1.000001)


def ceil_step(value: float) -> float:
    """The smallest step that is at least the value."""
    decade = 10.0 ** math.floor(math.log10(value))
    return decade * min(step for step in STEPS if step * decade >= value * 0.999999)


def list_steps(low: float, high: float) -> list[float]:
    """The numbers of an axis between two steps: all, or only the decades if the axis is long."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = STEPS[:3] if high / low < 500 else STEPS[:1]
    found = [step * 10.0**decade for decade in decades for step in steps]
    return [value for value in found if low * 0.999999 <= value <= high * 1.000001]


def write_number(value: float) -> str:
    """A number of an axis: 2,000, 5, 0.02."""
    return f"{value:,.0f}" if value >= 1 else f"{value:.6f}".rstrip("0")
