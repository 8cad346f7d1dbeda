"""`movelog analyse`: search a position, the games of a file, or a game of the service."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from service.analysis.parameters import (
    MOST_DEPTH,
    MOST_LINES,
    MOST_NODES,
    MOST_SECONDS,
    MOST_SEED,
    Parameters,
    with_default,
)
from service.cli import analysis_asking as asking
from service.cli.finding import client, service_options
from service.cli.progress import progress, say
from service.cli.records import STDIN, verdicts
from service.errors import BadValue

if TYPE_CHECKING:
    from notation.game import Game
    from service.analysis.finding import Finding

Stop = Callable[[], bool]


@click.command(short_help="Search a position, the games of a file, or a game of the service.")
@click.argument("target", metavar="[FEN|FILE]", required=False)
@click.option("--variant", help="The game's kind, for a FEN: katruji, kerak, …")
@click.option("--game", help="The id of a game of the service, in place of FEN or FILE.")
@click.option("--ply", type=click.IntRange(0), help="That game after so many actions [all of it].")
@click.option("--stale", is_flag=True, help="Have the service renew what another engine found.")
@click.option("--depth", type=click.IntRange(1, MOST_DEPTH), help="So many actions deep.")
@click.option("--nodes", type=click.IntRange(1, MOST_NODES), help="So many nodes a position.")
@click.option("--seconds", type=click.IntRange(1, MOST_SECONDS), help="So many seconds a position.")
@click.option("--lines", type=click.IntRange(1, MOST_LINES), default=1, help="So many best lines.")
@click.option(
    "--seed", type=click.IntRange(0, MOST_SEED), default=0, help="Decides between equals."
)
@click.option(
    "--draw-by-points", is_flag=True, help="For a FEN of Kerak: draws go to who has more points."
)
@click.option("--json", "as_json", is_flag=True, help="Lines of JSON.")
@service_options
def analyse(
    target: str | None,
    variant: str | None,
    game: str | None,
    ply: int | None,
    stale: bool,
    depth: int | None,
    nodes: int | None,
    seconds: int | None,
    lines: int,
    seed: int,
    draw_by_points: bool,
    as_json: bool,
    url: str | None,
    token: str | None,
) -> int:
    """Search a position, every position of the games in a file of records, or have a service's
    workers search a game of it.

    A FEN (or start) is searched here: a row a depth and line, as it is found; Ctrl-C ends the
    search and leaves the best line so far. A FILE (also packed by gzip or zstd, or - for standard
    input) is gone through here game by game: a row an action, with inaccuracies, mistakes and
    blunders, then the accuracy of both sides. Scores are the first side's. Without a limit a
    position gets a million nodes, each position of a game a hundred thousand.

    \b
        movelog analyse start --variant kerak --seconds 10 --lines 3
        movelog analyse games.pgn --nodes 200000 --json
        movelog analyse --game k3v5qg2xw7pfa4ze
    """
    given = [target is not None, game is not None, stale]
    if sum(given) != 1:
        raise click.UsageError("one of a FEN, a FILE, --game and --stale")
    if ply is not None and game is None:
        raise click.UsageError("--ply goes with --game")
    is_file = target is not None and (target == STDIN or Path(target).is_file())
    if draw_by_points and (target is None or is_file):
        raise click.UsageError("--draw-by-points goes with a FEN; games have their own agreement")
    parameters = Parameters(depth, nodes, seconds, lines, seed, draw_by_points)
    if stale:
        return asking.renewed(client(url, token), as_json)
    if game is not None:
        return asking.by_the_service(client(url, token), game, ply, parameters, as_json)
    assert target is not None
    if is_file:
        return of_file(target, with_default(parameters, whole_game=True), as_json)
    if variant is None:
        raise click.UsageError(f"{target} is no file; a FEN needs --variant")
    return of_position(variant, target, with_default(parameters, whole_game=False), as_json)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Whether Ctrl-C was pressed; pressed again, it interrupts."""
    stopped = False
    old = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        signal.signal(signal.SIGINT, old)

    signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: stopped
    finally:
        signal.signal(signal.SIGINT, old)


def of_position(variant: str, fen: str, parameters: Parameters, as_json: bool) -> int:
    """Search a position and print each deepening."""
    from service.analysis.search import look
    from service.analysis.target import Place, check_agreement
    from service.cli import analysis_table as table
    from service.cli.perft import position_of

    try:
        check_agreement(variant, parameters)
    except BadValue as error:
        raise click.UsageError(str(error)) from error
    place = Place(position_of(variant, None if fen == "start" else fen), None)
    told = False
    with stoppable() as stop:
        for finding in look(variant, place, parameters, stop):
            if as_json:
                click.echo(table.finding_line(finding))
                continue
            if not told:
                told = True
                if finding.worlds > 1:
                    click.echo(table.GUESSES.format(finding.worlds))
                click.echo(table.SEARCH)
            table.say_all(table.search_rows(finding))
    return 0


def of_file(file: str, parameters: Parameters, as_json: bool) -> int:
    """Search the games of a file; the exit status, 1 if one could not be read."""
    from notation.errors import RecordError

    bad = 0
    for verdict in verdicts(file):
        try:
            game = verdict.game
        except RecordError as error:
            bad += 1
            say(f"{file}: game {verdict.number}: {error}", error=True)
            continue
        with stoppable() as stop:
            of_record(game, verdict.number, parameters, as_json, stop)
            if stop():
                raise click.Abort
    return 1 if bad else 0


def of_record(game: Game, number: int, parameters: Parameters, as_json: bool, stop: Stop) -> None:
    """Search every position of a record, and print what its actions were like."""
    from service.analysis.judgement import judge, judge_all
    from service.cli import analysis_table as table

    if not as_json:
        sides = "{} - {}".format(*[game.tags[side] for side in list(sides_of(game))])
        say(f"{number} {game.variant} {game.result} {sides}")
        say(table.GAME)
    found: list[Finding] = []
    with progress(len(game.moves) + 1, "position") as bar:
        for led_here, finding in positions(game, parameters, stop):
            if as_json:
                say(table.finding_line(finding, number=number, index=len(found)))
            elif found:
                judged = judge(found[-1], finding)
                say(table.game_row(len(found), led_here, found[-1], finding, judged))
            found.append(finding)
            bar.update()
    judged_actions = judge_all(found)
    if as_json:
        say(table.judged_line(judged_actions, number=number))
    else:
        table.say_accuracy(game.variant, judged_actions)


def sides_of(game: Game) -> tuple[str, str]:
    """The titles of a record's players."""
    from engine.registry import variant

    return variant(game.variant).sides


def positions(game: Game, parameters: Parameters, stop: Stop) -> Iterator[tuple[str, Finding]]:
    """For each position of a record, until it is stopped: what led to it and what is found there.

    What led to it is an action in short form, empty for the first position.
    """
    from engine.registry import variant
    from notation.agreement import Agreement
    from notation.registry import dialect
    from service.analysis.search import look
    from service.analysis.target import Place

    agreed = Agreement.from_tags(variant(game.variant), game.tags)
    parameters = replace(parameters, draw_by_points=agreed.draw_by_points)
    texts = dialect(game.variant)
    position = texts.start(game.tags)
    led_here = ""
    for action in [*game.actions, None]:
        played = None if action is None else texts.coordinate(action)
        for finding in look(game.variant, Place(position.copy(), played), parameters, stop):
            last = finding
        if stop():
            return
        yield led_here, last
        if action is not None:
            led_here = texts.san(position, action)
            position.play(action)
