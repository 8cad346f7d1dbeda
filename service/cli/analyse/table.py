"""The tables that `movelog analyse` prints: a search by depth, and a game by action."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from engine.registry import find_variant
from engine.side import Side
from service.analysis.finding import Finding, FoundLine
from service.analysis.judgement import Judged, compute_accuracy
from service.cli.progress import say

SEARCH: Final = f"{'depth':>7} {'score':>8} {'nodes':>11} {'nodes/s':>9}  line"
GAME: Final = f"{'':>5} {'action':<10} {'score':>8} {'chance':>7}  {'':<10}  best"
GUESSES: Final = "unknown choices are guessed: {} positions, scores as [lowest highest]"


def format_score(value: int, plies_to_end: int | None) -> str:
    """A score from the first side's view, in the game's unit, or `#n` for a win in n actions.

    >>> format_score(-135, None), format_score(31_995, 5)
    ('-1.35', '+#5')
    """
    if plies_to_end is None:
        return f"{value / 100:+.2f}"
    return f"{'-' if value < 0 else '+'}#{plies_to_end}"


def format_search(finding: Finding) -> Iterable[str]:
    """A row for each line found at one depth, best first."""
    rate = finding.nodes / finding.seconds if finding.seconds else 0
    depth = f"{finding.depth}/{finding.selective_depth}"
    for line in finding.lines or [FoundLine(finding.score, finding.plies_to_end, (), ())]:
        score = f"{format_score(line.score, line.plies_to_end):>8}"
        spread = ""
        if line.lowest is not None and line.highest is not None:
            spread = f"[{line.lowest / 100:+.2f} {line.highest / 100:+.2f}] "
        moves = " ".join(line.san) or "(the game is over)"
        yield f"{depth:>7} {score} {finding.nodes:>11,} {rate:>9,.0f}  {spread}{moves}"


def format_action(
    ply: int, played: str, before: Finding, after: Finding | None, judged: Judged | None
) -> str:
    """The row of an action: what was `played`, the score after it, and the best action instead."""
    called = judged.judgement if judged is not None and judged.judgement else ""
    best = " ".join(before.lines[0].san[:6]) if before.lines else ""
    score, chance = "?", "?"
    if after is not None:
        score = format_score(after.score, after.plies_to_end)
        chance = f"{100 * after.chance:.0f} %"
    return f"{ply:>5} {played:<10} {score:>8} {chance:>7}  {called:<10}  {best}"


def format_finding(finding: Finding, **about: Any) -> str:
    """A finding as a line of JSON, with the fields of `about` before it."""
    return json.dumps({**about, "finding": finding.to_json()})


def format_judgements(judged: Iterable[Judged | None], **about: Any) -> str:
    """The judgements of a game's actions as a line of JSON, after the fields of `about`."""
    actions = [None if one is None else asdict(one) for one in judged]
    return json.dumps({**about, "judged": actions})


def print_rows(rows: Iterable[str]) -> None:
    """Print rows without tearing a progress bar."""
    for row in rows:
        say(row)


def print_accuracy(variant: str, judged: list[Judged | None]) -> None:
    """Print the accuracy of both sides."""
    sides = [(find_variant(variant).sides[side], compute_accuracy(judged, side)) for side in Side]
    say("accuracy: " + ", ".join(f"{name} {'?' if v is None else v}" for name, v in sides))
