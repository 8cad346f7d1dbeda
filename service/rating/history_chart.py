"""A player's rating over time as an SVG chart. Pure.

It is self-contained: fonts are the reader's, light and dark follow the reader's settings, and title
and description say in words what is drawn. It is drawn for a width of 360 pixels, and scales. The
colours are those of the pages (`service/pages/static/site.css`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from xml.sax.saxutils import escape

WIDTH: Final = 360
HEIGHT: Final = 210
LEFT: Final = 46
RIGHT: Final = 346
TOP: Final = 34
BOTTOM: Final = 164
TICKS: Final = 5
"""The most ratings beside the chart, between the lowest and the highest."""
LEAST_SPAN: Final = 100
"""The least height of the chart in rating points."""

STYLE: Final = """
text{font:12px system-ui,sans-serif;fill:#22211d}.s{font-size:11px;fill:#5f5b52}
.bg{fill:#fff}.g{stroke:#dcd7ca}
.c{fill:none;stroke:#0f5f66;stroke-width:2;stroke-linejoin:round}.a{fill:#0f5f66;opacity:.16}
.p{fill:#0f5f66}
@media (prefers-color-scheme:dark){
text{fill:#ece8de}.s{fill:#b3ad9f}.bg{fill:#22211e}.g{stroke:#3a3833}
.c{stroke:#6cc3c6}.a{fill:#6cc3c6;opacity:.2}.p{fill:#6cc3c6}}
"""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating with its deviation, and the time since which it held, in ms since 1970 UTC."""

    at: int
    rating: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Frame:
    """The times and ratings at the edges of a chart."""

    since: int
    until: int
    lowest: int
    highest: int

    def place(self, at: int, rating: float) -> tuple[float, float]:
        """The coordinates of a rating at a time."""
        along = (at - self.since) / ((self.until - self.since) or 1)
        above = (rating - self.lowest) / (self.highest - self.lowest)
        return round(LEFT + (RIGHT - LEFT) * along, 1), round(BOTTOM - (BOTTOM - TOP) * above, 1)


def draw_history(title: str, points: Sequence[RatingPoint]) -> str:
    """The chart of ratings, given oldest first; if there are none, it says so."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(describe_history(points))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="10" y="20">{escape(title)}</text>',
        *(draw_ratings(points) if points else [f'<text class="s" x="10" y="44">{NOTHING}</text>']),
        "</svg>\n",
    ]
    return "\n".join(parts)


NOTHING: Final = "No rating yet."


def describe_history(points: Sequence[RatingPoint]) -> str:
    """The chart in words.

    >>> describe_history([RatingPoint(0, 1500, 350), RatingPoint(86_400_000, 1612.4, 190)])
    '1500 ± 350 on 1970-01-01, 1612 ± 190 on 1970-01-02. Highest: 1612 on 1970-01-02.'
    """
    if not points:
        return NOTHING
    ends = list(dict.fromkeys((points[0], points[-1])))
    told = ", ".join(f"{one.rating:.0f} ± {one.deviation:.0f} on {_day(one.at)}" for one in ends)
    best = max(points, key=lambda one: one.rating)
    return f"{told}. Highest: {best.rating:.0f} on {_day(best.at)}."


def draw_ratings(points: Sequence[RatingPoint]) -> list[str]:
    """Draw the axes, the band of the deviations and the line of the ratings."""
    frame = make_frame(points)
    shown = thin_out(frame, points)
    middle = [frame.place(one.at, one.rating) for one in shown]
    upper = [frame.place(one.at, one.rating + one.deviation) for one in shown]
    lower = [frame.place(one.at, one.rating - one.deviation) for one in shown]
    x, y = middle[-1]
    return [
        *draw_axes(frame),
        f'<path class="a" d="M{_path([*upper, *reversed(lower)])}Z"/>',
        f'<path class="c" d="M{_path(middle)}"/>',
        f'<circle class="p" cx="{x}" cy="{y}" r="3.5"/>',
        f'<text class="s" x="10" y="{HEIGHT - 8}">The band is the rating ± its deviation.</text>',
    ]


def make_frame(points: Sequence[RatingPoint]) -> Frame:
    """The frame that holds all points with their deviations."""
    lowest = min(one.rating - one.deviation for one in points)
    highest = max(one.rating + one.deviation for one in points)
    step = choose_step(max(highest - lowest, LEAST_SPAN))
    bottom = int(lowest // step) * step
    top = max(bottom + LEAST_SPAN, -int(-highest // step) * step)
    return Frame(points[0].at, points[-1].at, bottom, top)


def thin_out(frame: Frame, points: Sequence[RatingPoint]) -> list[RatingPoint]:
    """The points that can be told apart: the last one of each pixel."""
    return list({round(frame.place(one.at, 0)[0]): one for one in points}.values())


def choose_step(span: float) -> int:
    """The round number with which TICKS steps span `span` rating points.

    >>> choose_step(100), choose_step(640)
    (20, 200)
    """
    steps: Iterator[int] = (base * scale for scale in (10, 100, 1000) for base in (1, 2, 5))
    return next(step for step in steps if span <= TICKS * step)


def draw_axes(frame: Frame) -> list[str]:
    """Lines for round ratings, and the first and the last day below them."""
    lines = []
    step = choose_step(frame.highest - frame.lowest)
    for rating in range(-(-frame.lowest // step) * step, frame.highest + 1, step):
        _, y = frame.place(frame.since, rating)
        lines.append(f'<path class="g" d="M{LEFT} {y}H{RIGHT}"/>')
        anchor = f'text-anchor="end" x="{LEFT - 5}" y="{y + 4}"'
        lines.append(f'<text class="s" {anchor}>{rating}</text>')
    below = f'y="{BOTTOM + 18}"'
    lines.append(f'<text class="s" x="{LEFT}" {below}>{_day(frame.since)}</text>')
    if _day(frame.until) != _day(frame.since):
        anchor = f'text-anchor="end" x="{RIGHT}" {below}'
        lines.append(f'<text class="s" {anchor}>{_day(frame.until)}</text>')
    return lines


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x} {y}" for x, y in places)


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")
