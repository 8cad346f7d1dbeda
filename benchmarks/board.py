"""How fast the pages of a game are and feel, beside those of an earlier revision.

    python -m benchmarks.board [REVISION [PLIES]]

Two players use two browsers, headless Chromiums, with the service of this checkout and with that
of REVISION (by default the last one before the scripted board). They play the same random actions
in each game, one ply here and one there in turn. The report has medians, and maxima for bytes.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from benchmarks import perft
from benchmarks.board_pages import ANSWERED, Player, PlyTimes, is_plain, launch
from benchmarks.revisions import check_out
from benchmarks.server import ROOT
from benchmarks.turns import Measurement, progress
from benchmarks.whole_service import UNBOUNDED, run_service

BASELINE: Final = "60510fe"
PLIES: Final = 20
SETTLED: Final = 400
"""Milliseconds within which everything that a ply causes has arrived."""
PLACED: Final = next(fen for fen in perft.listed("kerak", 3) if fen.endswith(" - 0-0 19"))
WISHES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {"katruji": {}, "kerak": {"fen": PLACED}, "kerd": {"infiltrators": "none"}}
)
"""The options that games are created with: Kerak's begins with both armies placed."""


@dataclass(slots=True)
class Table:
    """A game between two players at one service, and its measurements."""

    first: Player
    second: Player
    page_bytes: int
    game: str = ""
    ply: int = 0
    shift: float = 0.0
    plies: list[PlyTimes] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)

    def play(self, action: str, side: str) -> None:
        """Play an action on its side's board, and record its times."""
        mover, other = (self.first, self.second)[:: 1 if side == "first" else -1]
        self.ply += 1
        traffic = other.traffic
        before = traffic.messages, traffic.sent, traffic.bytes
        mover.move(action)
        drawn, seen = mover.wait_drawn(self.ply), other.wait_drawn(self.ply)
        for player in (mover, other):
            player.page.wait_for_timeout(SETTLED)
        hand = mover.page.evaluate("probe.hand")
        answered = mover.page.evaluate(ANSWERED)
        after = traffic.messages, traffic.sent, traffic.bytes
        spent = (new - old for new, old in zip(after, before, strict=True))
        self.plies.append(PlyTimes(drawn - hand, seen - hand, seen - answered, *spent))

    def replay(self) -> None:
        """Step back through the game and forward again."""
        moves = [("ArrowLeft", ply) for ply in range(self.ply - 1, -1, -1)]
        for key, ply in moves + [("ArrowRight", ply) for ply in range(1, self.ply + 1)]:
            self.steps.append(self.first.step(key, ply))

    def leave(self) -> None:
        """Record the larger layout shift of the two pages, and close both."""
        self.shift = max(self.first.shift, self.second.shift)
        for player in (self.first, self.second):
            player.context.close()


def measure(variant: str, browser: Browser, urls: Sequence[str], plies: int) -> list[Table]:
    """Play the same game at each of these services, ours first, one ply at each in turn."""
    # Earlier boards lose clicks on cells that a mark lies over, so there the actions are typed.
    tables = [sit_down(variant, browser, url, clicks=url == urls[0]) for url in urls]
    random = Random(variant)
    for ply in progress(range(plies), variant):
        legal = tables[0].first.ask("GET", f"/games/{tables[0].game}/legal")
        actions = [one["action"] for one in legal["actions"]]
        plain = [one for one in actions if is_plain(one, actions)]
        if not plain:
            break
        action = random.choice(plain)
        for table in tables[:: 1 if ply % 2 else -1]:
            table.play(action, legal["to_act"])
    for table in tables:
        table.replay()
        table.leave()
    return tables


def sit_down(variant: str, browser: Browser, url: str, clicks: bool) -> Table:
    """Two players at a game that has begun."""
    first, second = (Player(browser, url, name, clicks) for name in ("Ada", "Brahim"))
    wish = {"variant": variant, "side": "first", **WISHES[variant]}
    game = first.ask("POST", "/games", wish)["id"]
    second.ask("POST", f"/games/{game}/commands", {"type": "accept"})
    first.open(game)
    second.open(game)
    for player in (first, second):
        player.wait_drawn(0)
        player.page.wait_for_timeout(SETTLED)
    return Table(first, second, first.traffic.bytes, game)


def report(variant: str, ours: Table, theirs: Table, revision: str) -> Iterator[Measurement]:
    """A line for each bar, with the earlier revision's figure."""

    def line(what: str, unit: str, bar: float, pair: tuple[float, float]) -> Measurement:
        own, before = pair
        part = f", {own / before:.2f} of it" if before > 0 else ""
        return Measurement(
            f"{variant}: {what}",
            f"{own:.4g} {unit} (at most {bar:g})",
            f"{revision} {before:.4g}{part}",
            own / bar if bar else own,
            bar=1.0 if bar else 0.0,
            most=True,
        )

    def middle(name: str) -> tuple[float, float]:
        one, other = ([getattr(ply, name) for ply in each.plies] for each in (ours, theirs))
        return statistics.median(one), statistics.median(other)

    def worst(name: str) -> tuple[float, float]:
        one, other = (max(getattr(ply, name) for ply in each.plies) for each in (ours, theirs))
        return one, other

    steps = statistics.median(ours.steps), statistics.median(theirs.steps)
    yield line("the mover's board, from the hand to the frame", "ms", 50, middle("own"))
    yield line("the other's, beyond the request's round trip", "ms", 60, middle("beyond"))
    yield line("a step of a replay, from the key to the layout", "ms", 16, steps)
    yield line("events on the game's stream, the most for a ply", "", 1, worst("messages"))
    yield line("bytes on the game's stream, the most for a ply", "B", 3072, worst("sent"))
    whole, earlier = middle("bytes")
    yield Measurement(
        f"{variant}: bytes that the other's page receives for a ply, whatever they are",
        f"{whole:.0f} B",
        f"{revision} {earlier:.0f}",
        whole / earlier,
    )
    yield line("layout shift in all of it", "", 0, (ours.shift, theirs.shift))
    yield line("the first page of a game", "B", 90_000, (ours.page_bytes, theirs.page_bytes))


def figures(revision: str = BASELINE, plies: int = PLIES) -> Iterator[Measurement]:
    """The report of every game."""
    with ExitStack() as stack:
        there = stack.enter_context(check_out(revision))
        services = [
            stack.enter_context(run_service(UNBOUNDED, folder=folder)) for folder in (ROOT, there)
        ]
        urls = [service.url for service in services]
        chromium = stack.enter_context(sync_playwright()).chromium
        browser = stack.enter_context(launch(chromium))
        for variant in WISHES:
            ours, theirs = measure(variant, browser, urls, plies)
            yield from report(variant, ours, theirs, revision)


def main(arguments: Sequence[str]) -> None:
    """Measure with the given arguments, and print the report."""
    revision = arguments[0] if arguments else BASELINE
    plies = int(arguments[1]) if len(arguments) > 1 else PLIES
    for figure in figures(revision, plies):
        print(figure, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
