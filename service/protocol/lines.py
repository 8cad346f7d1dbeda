"""Lines from an engine: those that ours writes, and those parsed from another program."""

from __future__ import annotations

from collections.abc import Iterator

from engine.position import Action
from engine.search import UncertainIteration, UncertainLine, is_decided, plies_to_end
from notation.dialect import Dialect

NONE = "none"
"""The action of a game that is over, and of a line that has no action to show."""


def info_lines(written: Dialect, iteration: UncertainIteration) -> Iterator[str]:
    """Yield the `info` lines of an iteration, one for each line of play, best first."""
    milliseconds = round(iteration.seconds * 1000)
    pace = round(iteration.nodes / iteration.seconds) if iteration.seconds > 0 else 0
    for number, line in enumerate(iteration.lines, 1):
        words = [
            f"info depth {iteration.depth} seldepth {iteration.selective_depth} multipv {number}",
            f"score {score_words(line.score)}",
            f"nodes {iteration.nodes} nps {pace} time {milliseconds}",
        ]
        if iteration.worlds > 1:
            words.append(spread_words(iteration, line))
        words.append(" ".join(["pv", *map(written.coordinate, line.actions)]))
        yield " ".join(words)


def score_words(score: int) -> str:
    """`cp` and hundredths of the game's unit, or `win` or `lose` and the actions until then.

    >>> score_words(-37), score_words(31_997)
    ('cp -37', 'win 3')
    """
    if not is_decided(score):
        return f"cp {score}"
    return f"{'win' if score > 0 else 'lose'} {plies_to_end(score)}"


def spread_words(iteration: UncertainIteration, line: UncertainLine) -> str:
    """The words that say how the scores of the worlds differ."""
    return (
        f"worlds {iteration.worlds} lowest {score_words(line.lowest)} "
        f"highest {score_words(line.highest)} share {line.share:.2f}"
    )


def best_line(written: Dialect, action: Action | None) -> str:
    """The line that ends a search."""
    return f"bestmove {NONE if action is None else written.coordinate(action)}"


def read_best(line: str) -> str | None:
    """The action that a `bestmove` line names, None for other lines.

    >>> read_best("bestmove a1b2"), read_best("info depth 1")
    ('a1b2', None)
    """
    words = line.split()
    return words[1] if words[:1] == ["bestmove"] and len(words) > 1 else None


def read_nodes(line: str) -> int | None:
    """The number of nodes in an `info` line, None if it has none.

    >>> read_nodes("info depth 3 nodes 812 pv a1a2")
    812
    """
    words = line.split()
    if words[:1] != ["info"] or "string" in words or "nodes" not in words[:-1]:
        return None
    value = words[words.index("nodes") + 1]
    return int(value) if value.isdecimal() else None


def read_score(line: str) -> int | None:
    """The score in an `info` line in hundredths, None for a decided game.

    >>> read_score("info depth 3 score cp -12 nodes 812"), read_score("info score win 3")
    (-12, None)
    """
    words = line.split()
    if words[:1] != ["info"] or "string" in words or "score" not in words[:-2]:
        return None
    kind, value = words[words.index("score") + 1 :][:2]
    return int(value) if kind == "cp" and value.removeprefix("-").isdecimal() else None
