"""The searches of `movelog analyse` on this machine: of a position, or of the games in a file."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

import click

from service.cli.progress import make_progress_bar, say
from service.cli.records.files import read_games
from service.errors import BadValue

if TYPE_CHECKING:
    from engine.search.helpers import Helpers
    from notation.game import Game
    from service.analysis.finding import Finding
    from service.analysis.parameters import Parameters

Stop = Callable[[], bool]


@contextmanager
def catch_interrupt() -> Iterator[Stop]:
    """Yield a function that says whether Ctrl-C was pressed; pressed again, it interrupts."""
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


def analyse_position(
    variant: str, fen: str, parameters: Parameters, as_json: bool, threads: int
) -> int:
    """Search a position and print each depth; raises UsageError for a bad --draw-by-points."""
    from service.analysis.search import search_position
    from service.analysis.target import SearchedPosition, check_agreement
    from service.cli.analyse import table
    from service.cli.rules.perft import read_position
    from service.helpers.pool import HelperPool

    try:
        check_agreement(variant, parameters)
    except BadValue as error:
        raise click.UsageError(str(error)) from error
    place = SearchedPosition(read_position(variant, None if fen == "start" else fen), None)
    has_head = False
    with catch_interrupt() as stop, HelperPool(threads) as helpers:
        for finding in search_position(variant, place, parameters, stop, helpers):
            if as_json:
                click.echo(table.format_finding(finding))
                continue
            if not has_head:
                has_head = True
                if finding.worlds > 1:
                    click.echo(table.GUESSES.format(finding.worlds))
                click.echo(table.SEARCH)
            table.print_rows(table.format_search(finding))
    return 0


def analyse_file(file: str, parameters: Parameters, as_json: bool, threads: int) -> int:
    """Search the games of a file; returns the exit status, 1 if a game could not be read."""
    from notation.errors import RecordError
    from service.helpers.pool import HelperPool

    bad = 0
    with HelperPool(threads) as helpers:
        for verdict in read_games(file):
            try:
                game = verdict.game
            except RecordError as error:
                bad += 1
                say(f"{file}: game {verdict.number}: {error}", error=True)
                continue
            with catch_interrupt() as stop:
                analyse_record(game, verdict.number, parameters, as_json, stop, helpers)
                if stop():
                    raise click.Abort
    return 1 if bad else 0


def analyse_record(
    game: Game,
    number: int,
    parameters: Parameters,
    as_json: bool,
    stop: Stop,
    helpers: Helpers,
) -> None:
    """Search every position of a record, and print a row for each action and the accuracy."""
    from service.analysis.judgement import judge, judge_all
    from service.cli.analyse import table

    if not as_json:
        sides = "{} - {}".format(*[game.tags[side] for side in list(name_sides(game))])
        say(f"{number} {game.variant} {game.result} {sides}")
        say(table.GAME)
    found: list[Finding] = []
    with make_progress_bar(len(game.moves) + 1, "position") as bar:
        for led_here, finding in search_positions(game, parameters, stop, helpers):
            if as_json:
                say(table.format_finding(finding, number=number, index=len(found)))
            elif found:
                judged = judge(found[-1], finding)
                say(table.format_action(len(found), led_here, found[-1], finding, judged))
            found.append(finding)
            bar.update()
    judged_actions = judge_all(found)
    if as_json:
        say(table.format_judgements(judged_actions, number=number))
    else:
        table.print_accuracy(game.variant, judged_actions)


def name_sides(game: Game) -> tuple[str, str]:
    """The tags that name a record's players, such as White and Black."""
    from engine.registry import find_variant

    return find_variant(game.variant).sides


def search_positions(
    game: Game, parameters: Parameters, stop: Stop, helpers: Helpers
) -> Iterator[tuple[str, Finding]]:
    """Search each position of a record until `stop`; yields the action before it, and the finding.

    The action is in short form, empty for the first position.
    """
    from engine.registry import find_variant
    from notation.agreement import Agreement
    from notation.registry import find_dialect
    from service.analysis.search import search_position
    from service.analysis.target import SearchedPosition

    agreed = Agreement.from_tags(find_variant(game.variant), game.tags)
    parameters = replace(parameters, draw_by_points=agreed.draw_by_points)
    texts = find_dialect(game.variant)
    position = texts.start(game.tags)
    led_here = ""
    for action in [*game.actions, None]:
        played = None if action is None else texts.coordinate(action)
        for finding in search_position(
            game.variant, SearchedPosition(position.copy(), played), parameters, stop, helpers
        ):
            last = finding
        if stop():
            return
        yield led_here, last
        if action is not None:
            led_here = texts.san(position, action)
            position.play(action)
