"""`movelog selfplay`: a match between two settings or builds of the search."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from service.selfplay.match import Match, Pair
    from service.selfplay.statistics import SequentialTest

ELO: Final = click.FloatRange(-1000, 1000)
"""The Elo differences that a match can test."""


def check_hypotheses(
    context: click.Context, option: click.Parameter, given: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Two Elo differences, the lower one first; BadParameter for others."""
    if given is not None and not given[0] < given[1]:  # which also refuses what is no number
        raise click.BadParameter("the first Elo difference is not lower than the second.")
    return given


@click.command(short_help="Play a match between two settings of the search.")
@click.argument("variant")
@click.argument("first")
@click.argument("second")
@click.option("--games", type=click.IntRange(2), default=100, help="At most this many games [100].")
@click.option(
    "--opening",
    "plies",
    type=click.IntRange(0),
    default=8,
    help="Random plies at the start of each game [8].",
)
@click.option(
    "--balanced",
    "most_chance",
    type=click.FloatRange(0.5, 1, min_open=True),
    help="Only openings that leave neither side a greater chance to win than this, such as 0.65.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=400, help="Plies after which a game is a draw [400]."
)
@click.option("--seed", type=int, default=0, help="The seed of openings and players [0].")
@click.option(
    "--sprt",
    type=(ELO, ELO),
    callback=check_hypotheses,
    help="Stop when one of two Elo differences is accepted, the lower given first.",
)
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    help="Games to play at the same time [one for each core].",
)
@click.option("--json", "as_json", is_flag=True, help="The whole report as one JSON object.")
def selfplay(
    variant: str,
    first: str,
    second: str,
    games: int,
    plies: int,
    most_chance: float | None,
    limit: int,
    seed: int,
    sprt: tuple[float, float] | None,
    processes: int,
    as_json: bool,
) -> None:
    """Play games of VARIANT between the players FIRST and SECOND, and estimate which is stronger.

    A player is a list of words: nodes=N, depth=N or seconds=S of processor time for each action
    (default: 5,000 nodes), clock=S+S of processor time for all actions and what each adds
    (fraction=N takes a fixed part of it instead of managing it), table=MiB, threads=N to search on
    N cores (then with --processes 1), without=A+B and with=A+B for techniques,
    set=NAME:N+NAME:N for their parameters (docs/search.md), or engine=COMMAND (quoted if it
    contains spaces) for another program that speaks the protocol of docs/engine-protocol.md; or
    level=N for the computer's player of a level (docs/computer.md).
    Against another program both players' seconds are wall-clock time: keep the cores idle then.
    Each random opening is played twice, with sides swapped. Many openings decide the game, which
    hides a difference of strength: --balanced leaves them out, by a search of 20,000 nodes.
    A match that is interrupted, or in which an engine fails, is reported as far as it was played.

    \b
    Example:
      movelog selfplay katruji "nodes=2000" "nodes=2000 without=killers" --sprt 0 20
      movelog selfplay kerak "nodes=2000" "nodes=2000 engine='old/bin/movelog engine'"
    """
    from engine.errors import UnknownVariant
    from engine.registry import find_variant
    from service.protocol.errors import EngineFailed
    from service.protocol.process import check
    from service.selfplay.errors import NoOpening
    from service.selfplay.match import Match
    from service.selfplay.setting import BadPlayer, read_setting
    from service.selfplay.statistics import SequentialTest

    try:
        players = read_setting(first), read_setting(second)
        match = Match(find_variant(variant).name, players, seed, plies, limit, most_chance)
    except (BadPlayer, UnknownVariant) as error:
        raise click.UsageError(str(error)) from error
    test = SequentialTest(*sprt) if sprt else None
    played: list[Pair] = []
    try:
        for player in players:
            if player.command is not None:
                check(player.command)
        with raising_interrupts():
            play_until(match, games, processes, test, played)
    except (EngineFailed, NoOpening) as error:
        raise click.ClickException(str(error)) from error
    finally:
        if played:
            report = build_report(match, (first, second), games // 2 * 2, played, test)
            text = json.dumps(report, indent=2) if as_json else "\n".join(format_report(report))
            click.echo(text)


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at SIGINT, even if it was ignored before, and at SIGTERM."""
    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def play_until(
    match: Match, games: int, processes: int, test: SequentialTest | None, played: list[Pair]
) -> None:
    """Play pairs of games until all are played or the test accepts a hypothesis.

    They are added to `played`, so that they are there if an exception ends the match.
    """
    from service.cli.progress import make_progress_bar
    from service.selfplay.match import play

    with make_progress_bar(games, "games") as bar:
        for pair in play(match, games // 2, processes):
            played.append(pair)
            bar.update(2)
            bar.set_postfix_str(f"{sum(one.share for one in played) / len(played):.1%}")
            if test and test.verdict([one.share for one in played]):
                break


def build_report(
    match: Match,
    players: tuple[str, str],
    most_games: int,
    played: Sequence[Pair],
    test: SequentialTest | None,
) -> dict[str, Any]:
    """The match of at most `most_games` and its results; infinite Elo differences are None."""
    from engine.search import build_id
    from service.selfplay.statistics import count_pairs, elo, score

    shares = [pair.share for pair in played]
    estimate = score(shares)
    games = [game for pair in played for game in pair.games]
    report: dict[str, Any] = {
        "variant": match.variant,
        "players": list(players),
        "build": build_id(),
        "seed": match.seed,
        "opening": match.opening_plies,
        "balanced": match.most_chance,
        "limit": match.ply_limit,
        "games": len(games),
        "most_games": most_games,
        "won": sum(game.points == 1 for game in games),
        "drawn": sum(game.points == 0.5 for game in games),
        "lost": sum(game.points == 0 for game in games),
        "pairs": list(count_pairs(shares)),
        "score": [estimate.value, estimate.low, estimate.high],
        "elo": [
            _drop_infinite(elo(share)) for share in (estimate.value, estimate.low, estimate.high)
        ],
        "nodes": [sum(pair.nodes[seat] for pair in played) for seat in range(2)],
        "seconds": [sum(pair.seconds[seat] for pair in played) for seat in range(2)],
        "plies": sum(game.plies for game in games) / len(games),
        "terminations": dict(Counter(game.termination for game in games).most_common()),
    }
    if test:
        report["sprt"] = {
            "elo": [test.lower, test.upper],
            "ratio": test.ratio(shares),
            "accepted": test.verdict(shares),
        }
    return report


def _drop_infinite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def format_report(report: dict[str, Any]) -> list[str]:
    """The report as lines of text."""
    from service.selfplay.statistics import elo

    value, low, high = report["score"]
    difference, least, most = (f"{elo(share):+.0f}" for share in report["score"])
    ends = ", ".join(f"{name} {number}" for name, number in report["terminations"].items())
    lines = [
        f"{report['variant']}: {report['players'][0]} against {report['players'][1]}",
        f"games {report['games']} of {report['most_games']}: {report['won']} won, "
        f"{report['drawn']} drawn, {report['lost']} lost; "
        f"{report['plies']:.0f} plies each ({ends})",
        f"score {value:.1%} ({low:.1%} to {high:.1%}), Elo {difference} ({least} to {most})",
        f"pairs by points from 0 to 2: {', '.join(map(str, report['pairs']))}",
        "used "
        + " against ".join(
            f"{nodes:,} nodes in {seconds:.1f} s"
            for nodes, seconds in zip(report["nodes"], report["seconds"], strict=True)
        ),
    ]
    if "sprt" in report:
        test = report["sprt"]
        lower, upper = test["elo"]
        verdict = {"lower": f"Elo {lower:g} accepted", "upper": f"Elo {upper:g} accepted"}
        lines.append(
            f"test of Elo {lower:g} against {upper:g}: ratio {test['ratio']:+.2f}, "
            f"{verdict.get(test['accepted'], 'nothing accepted')}"
        )
    return lines
