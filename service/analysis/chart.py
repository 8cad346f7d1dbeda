"""The winning chance over a game as an SVG chart. Pure.

It stands alone: fonts are the reader's, light and dark follow the reader's settings, and its title
and description say in words what is drawn. It is drawn 360 pixels wide, and scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from engine.registry import find_variant
from engine.side import Side
from service.analysis.judgement import Judged, compute_accuracy
from service.analysis.report import judge_actions
from service.analysis.state import AnalysisState

WIDTH: Final = 360
HEIGHT: Final = 216
LEFT: Final = 46
RIGHT: Final = 346
TOP: Final = 44
BOTTOM: Final = 170
MARKED: Final = {"inaccuracy": "i", "mistake": "m", "blunder": "b"}
"""The judgements that are marked, the gravest last, and the classes of their marks."""
PLURAL: Final = {"inaccuracy": "Inaccuracies", "mistake": "Mistakes", "blunder": "Blunders"}
RADIUS: Final = {"inaccuracy": 3, "mistake": 4, "blunder": 4}
TICKS: Final = 6
"""The most numbers below the chart, beside the 0."""

STYLE: Final = """
text{font:12px system-ui,sans-serif;fill:#1c1e21}.s{font-size:11px;fill:#55595f}
.bg{fill:#fff}.g{stroke:#d0d4d9}.h{stroke:#8b9097;stroke-dasharray:3 3}
.c{fill:none;stroke:#1a5fb4;stroke-width:2;stroke-linejoin:round}.a{fill:#1a5fb4;opacity:.13}
.i{fill:#fff;stroke:#55595f;stroke-width:1.5}
.m{fill:#fff;stroke:#9a5b00;stroke-width:2}.b{fill:#b3261e;stroke:#fff;stroke-width:1}
@media (prefers-color-scheme:dark){
text{fill:#e8eaed}.s{fill:#b0b5bc}.bg{fill:#15171b}.g{stroke:#3a3f46}.h{stroke:#7b8189}
.c{stroke:#7cb3ff}.a{fill:#7cb3ff;opacity:.18}.i{fill:#15171b;stroke:#b0b5bc}
.m{fill:#15171b;stroke:#f0b64a}
.b{fill:#ff8a80;stroke:#15171b}}
"""


def chart(state: AnalysisState) -> str:
    """The chart of a whole game, as far as it is analysed."""
    sides = find_variant(state.begun.variant).sides
    chances = [one.finding.chance if one.finding else None for one in state.looked]
    judged = judge_actions(state)
    last = max(1, state.begun.positions - 1)
    title = f"Winning chance of {sides[Side.FIRST]} after each action"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(describe_chart(sides, chances, judged))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>',
        *draw_heading(sides, title, judged),
        *draw_axes(last),
        *draw_curve(chances, last),
        *draw_marks(chances, judged, last),
        *draw_legend(),
        "</svg>\n",
    ]
    return "\n".join(parts)


def describe_chart(
    sides: tuple[str, str], chances: Sequence[float | None], judged: Sequence[Judged | None]
) -> str:
    """The chart in words."""
    known = [(ply, chance) for ply, chance in enumerate(chances) if chance is not None]
    if not known:
        return "Nothing is analysed yet."
    told = [
        f"{sides[Side.FIRST]} has {format_percent(known[0][1])} at first and"
        f" {format_percent(known[-1][1])} after {known[-1][0]} actions."
    ]
    for name in reversed(MARKED):
        plies = [str(ply) for ply, one in enumerate(judged, 1) if one and one.judgement == name]
        if plies:
            told.append(f"{PLURAL[name]}: {', '.join(plies)}.")
    return " ".join(told)


def format_percent(chance: float) -> str:
    """A chance as people read it.

    >>> format_percent(0.514)
    '51 %'
    """
    return f"{100 * chance:.0f} %"


def draw_heading(sides: tuple[str, str], title: str, judged: Sequence[Judged | None]) -> list[str]:
    """Draw the title, and each side's accuracy."""
    found = [(sides[side], compute_accuracy(judged, side)) for side in Side]
    told = ", ".join(f"{name} {value:.1f}" for name, value in found if value is not None)
    lines = [f'<text x="10" y="18">{escape(title)}</text>']
    if told:
        lines.append(f'<text class="s" x="10" y="34">Accuracy: {escape(told)}</text>')
    return lines


def draw_axes(last: int) -> list[str]:
    """The lines for no, even and full chances, and numbers of actions below."""
    lines = []
    for chance, style in ((0.0, "g"), (0.5, "h"), (1.0, "g")):
        y = place_chance(chance)
        lines.append(f'<path class="{style}" d="M{LEFT} {y}H{RIGHT}"/>')
        anchor = f'text-anchor="end" x="{LEFT - 5}" y="{y + 4}"'
        lines.append(f'<text class="s" {anchor}>{format_percent(chance)}</text>')
    for ply in choose_ticks(last):
        anchor = f'text-anchor="middle" x="{place_ply(ply, last)}" y="{BOTTOM + 16}"'
        lines.append(f'<text class="s" {anchor}>{ply}</text>')
    return lines


def choose_ticks(last: int) -> range:
    """The actions whose numbers are shown: round ones, at most TICKS beside the 0.

    >>> list(choose_ticks(60)), list(choose_ticks(7))
    ([0, 10, 20, 30, 40, 50, 60], [0, 2, 4, 6])
    """
    step = next(
        base * 10**power for power in range(9) for base in (1, 2, 5)
        if last <= TICKS * base * 10**power
    )  # fmt: skip
    return range(0, last + 1, step)


def draw_curve(chances: Sequence[float | None], last: int) -> list[str]:
    """The chances as lines, each from one gap to the next, over the area below them."""
    lines = []
    for stretch in split_at_gaps(chances):
        points = [f"{place_ply(ply, last)} {place_chance(chance)}" for ply, chance in stretch]
        ends = [place_ply(ply, last) for ply in (stretch[0][0], stretch[-1][0])]
        path = "L".join(points)
        lines.append(f'<path class="a" d="M{ends[0]} {BOTTOM}L{path}V{BOTTOM}Z"/>')
        # A single point would not be visible.
        lines.append(f'<path class="c" d="M{path}{"h.1" if len(points) == 1 else ""}"/>')
    return lines


def split_at_gaps(chances: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The chances with their plies, cut where one is not known.

    >>> split_at_gaps([0.5, None, 0.6, 0.7])
    [[(0, 0.5)], [(2, 0.6), (3, 0.7)]]
    """
    found: list[list[tuple[int, float]]] = []
    for ply, chance in enumerate(chances):
        if chance is None:
            continue
        if ply == 0 or chances[ply - 1] is None:
            found.append([])
        found[-1].append((ply, chance))
    return found


def draw_marks(
    chances: Sequence[float | None], judged: Sequence[Judged | None], last: int
) -> list[str]:
    """A mark at each action that lost much, with its judgement."""
    lines = []
    for ply, one in enumerate(judged, 1):
        chance = chances[ply]
        if one is None or one.judgement not in MARKED or chance is None:
            continue
        told = f"{ply}: {one.judgement}, {format_percent(one.loss)} given away"
        x, y = place_ply(ply, last), place_chance(chance)
        lines.append(
            f'<circle class="{MARKED[one.judgement]}" cx="{x}" cy="{y}"'
            f' r="{RADIUS[one.judgement]}"><title>{told}</title></circle>'
        )
    return lines


def draw_legend() -> list[str]:
    """Draw the legend of the marks."""
    y = HEIGHT - 12
    lines = [f'<text class="s" x="10" y="{y}">actions</text>']
    for x, name in ((120, "inaccuracy"), (208, "mistake"), (284, "blunder")):
        shape = f'cx="{x}" cy="{y - 4}" r="{RADIUS[name]}"'
        lines.append(f'<circle class="{MARKED[name]}" {shape}/>')
        lines.append(f'<text class="s" x="{x + 9}" y="{y}">{name}</text>')
    return lines


def place_ply(ply: int, last: int) -> float:
    """Return an action's x coordinate."""
    return round(LEFT + (RIGHT - LEFT) * ply / last, 1)


def place_chance(chance: float) -> float:
    """Return a chance's y coordinate."""
    return round(BOTTOM - (BOTTOM - TOP) * chance, 1)
