"""What requests cost along three scales, as figures and as pictures: `… costs`.

`python -m benchmarks.costs --quick --into FOLDER` measures little, to see that it works.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.chart import Line, Panel, draw
from benchmarks.cost_scales import (
    QUICK,
    Memory,
    Sizes,
    Usual,
    Whole,
    by_clients,
    by_games,
    by_plies,
)
from benchmarks.crowd import Cost
from benchmarks.server import ROOT
from benchmarks.turns import Measurement

PICTURES: Final = ROOT / "docs"
SUBMIT, READ, ANEW = range(3)
"""The series of the pictures."""
PLIES: Final = "plies of a game"
GROWTH: Final = 1.5
"""How much more processor time a request may take at the end of a scale than at its beginning."""


def figures(sizes: Sizes = Sizes(), folder: Path = PICTURES) -> Iterator[Measurement]:  # noqa: B008
    """Measure all three scales, and write a picture of each into the folder."""
    clients = by_clients(sizes)
    draw_clients(clients, folder)
    yield from tell_usual("clients at once", clients)
    games = by_games(sizes)
    draw_games(games, folder)
    yield from tell_usual("games in memory", {count: usual for count, (usual, _) in games.items()})
    plies = by_plies(sizes)
    draw_plies(plies, folder)
    yield from tell_usual(PLIES, {count: usual for count, (usual, _) in plies.items()})
    yield from tell_whole({count: whole for count, (_, whole) in plies.items()})


def tell_usual(scale: str, found: Mapping[int, Usual]) -> Iterator[Measurement]:
    """A line for each request and step of a scale; its processor time against the first step's."""
    kinds: tuple[tuple[str, Callable[[Usual], Cost]], ...] = (
        ("submit an action", lambda usual: usual.submit),
        ("read a game", lambda usual: usual.read),
        ("read a game anew", lambda usual: usual.anew),
    )
    for name, choose in kinds:
        first = choose(next(iter(found.values())))
        for count, usual in found.items():
            cost = choose(usual)
            yield Measurement(
                f"{name}; {scale}: {count:,}",
                f"{cost.rate:,.0f} a second, p50 {cost.p50:.2f} ms, p99 {cost.p99:.2f} ms",
                f"{1000 * cost.web:.0f} µs of the web's processor time for one, "
                f"{1000 * cost.store:.0f} µs of Redis'",
                cost.cpu / first.cpu,
                # The answer contains all actions of its game.
                bar=None if (name, scale) == ("read a game anew", PLIES) else GROWTH,
                most=True,
            )


def tell_whole(found: Mapping[int, Whole]) -> Iterator[Measurement]:
    """A line for each length: a whole game's costs, and its fold per ply against the first's."""
    (first, shortest), *_ = found.items()
    for plies, whole in found.items():
        yield Measurement(
            f"a whole game of {plies:,} plies; its fold by ply",
            f"folded from the log in {whole.fold:.2f} ms",
            f"replayed in {whole.replay:.2f} ms, exported in {whole.export:.2f} ms",
            whole.fold / plies / (shortest.fold / first),
            bar=GROWTH,
            most=True,
        )


def draw_clients(found: Mapping[int, Usual], folder: Path) -> None:
    """The picture of clients at once."""
    across = "clients at once"
    panels = [
        *panels_of(found, across),
        Panel(
            "Processors taken, by web and Redis",
            across,
            [
                Line(name, series, [(at, cost.rate * cost.cpu / 1000) for at, cost in costs])
                for name, series, costs in list_costs(found)
            ],
        ),
    ]
    write(folder / "costs-clients.svg", "What requests cost by clients at once", panels)


def draw_games(found: Mapping[int, tuple[Usual, Memory]], folder: Path) -> None:
    """The picture of games in memory."""
    across = "games in memory"
    taken = {at: memory for at, (_, memory) in found.items()}
    panels = [
        *panels_of({at: usual for at, (usual, _) in found.items()}, across),
        Panel(
            "Memory, MiB (dashed: the web process)",
            across,
            [
                Line("Redis", SUBMIT, [(at, one.store / 2**20) for at, one in taken.items()]),
                Line("web", SUBMIT, [(at, one.web / 2**20) for at, one in taken.items()], True),
            ],
        ),
    ]
    write(folder / "costs-games.svg", "What requests cost by games in memory", panels)


def draw_plies(found: Mapping[int, tuple[Usual, Whole]], folder: Path) -> None:
    """The picture of a game's length."""
    across = PLIES
    whole = {at: one for at, (_, one) in found.items()}
    panels = [
        *panels_of({at: usual for at, (usual, _) in found.items()}, across),
        Panel(
            "A whole game, ms",
            across,
            [
                Line("exported", SUBMIT, [(at, one.export) for at, one in whole.items()]),
                Line("folded", READ, [(at, one.fold) for at, one in whole.items()]),
                Line("replayed", ANEW, [(at, one.replay) for at, one in whole.items()]),
            ],
        ),
    ]
    write(folder / "costs-plies.svg", "What requests cost by the plies of a game", panels)


def list_costs(
    found: Mapping[int, Usual],
) -> list[tuple[str, int, list[tuple[int, Cost]]]]:
    """Name, series and costs by place of each usual request."""
    return [
        ("submit", SUBMIT, [(at, usual.submit) for at, usual in found.items()]),
        ("read", READ, [(at, usual.read) for at, usual in found.items()]),
        ("read anew", ANEW, [(at, usual.anew) for at, usual in found.items()]),
    ]


def panels_of(found: Mapping[int, Usual], across: str) -> tuple[Panel, Panel, Panel]:
    """The panels that each picture has: rate, latency, processor time."""
    costs = list_costs(found)

    def lines(value: Callable[[Cost], float], dashed: bool = False) -> list[Line]:
        return [
            Line(kind, series, [(at, value(cost)) for at, cost in by_place], dashed)
            for kind, series, by_place in costs
        ]

    return (
        Panel("Requests a second", across, lines(lambda cost: cost.rate)),
        Panel(
            "Latency, ms (dashed: 99th percentile)",
            across,
            [
                *lines(lambda cost: cost.p50),
                *lines(lambda cost: cost.p99, dashed=True),
            ],
        ),
        Panel("Processor time a request, µs", across, lines(lambda cost: 1000 * cost.cpu)),
    )


def write(file: Path, title: str, panels: Sequence[Panel]) -> None:
    """Write a picture."""
    file.write_text(draw(title, panels), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few clients, games and plies")
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder of the pictures")
    given = parser.parse_args(arguments)
    for figure in figures(QUICK if given.quick else Sizes(), given.into):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
