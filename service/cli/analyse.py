"""`movelog analyse`: search a position, the games of a file, or a game of the service."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

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
from service.cli.finding import client, service_options
from service.cli.progress import progress, say
from service.cli.records import STDIN, verdicts
from service.errors import BadValue

if TYPE_CHECKING:
    from notation.game import Game
    from service.analysis.finding import Finding
    from service.cli.client import Client

POLL: Final = 0.25
"""Seconds between two looks at what the service has found."""
UNDER_WAY: Final = frozenset({"queued", "running"})

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
        return renewed(client(url, token), as_json)
    if game is not None:
        return by_the_service(client(url, token), game, ply, parameters, as_json)
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
    from service.analysis.searching import look
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
    from service.analysis.judging import judge, judge_all
    from service.cli import analysis_table as table

    if not as_json:
        sides = "{} - {}".format(*[game.tags[side] for side in list(sides_of(game))])
        say(f"{number} {game.variant} {game.result} {sides}")
        say(table.GAME)
    sans = list(sans_of(game))
    found: list[Finding] = []
    with progress(len(game.moves) + 1, "position") as bar:
        for finding in positions(game, parameters, stop):
            if as_json:
                say(table.finding_line(finding, number=number, index=len(found)))
            elif found:
                judged = judge(found[-1], finding)
                say(table.game_row(len(found), sans[len(found) - 1], found[-1], finding, judged))
            found.append(finding)
            bar.update()
    judged_actions = judge_all(found)
    if as_json:
        say(table.judged_line(judged_actions, number=number))
    else:
        say_accuracy(game.variant, judged_actions)


def sides_of(game: Game) -> tuple[str, str]:
    """The titles of a record's players."""
    from engine.registry import variant

    return variant(game.variant).sides


def sans_of(game: Game) -> Iterator[str]:
    """A record's actions in short form."""
    from notation.registry import dialect

    texts = dialect(game.variant)
    position = texts.start(game.tags)
    for action in game.actions:
        yield texts.san(position, action)
        position.play(action)


def positions(game: Game, parameters: Parameters, stop: Stop) -> Iterator[Finding]:
    """What is found in each position of a record, until it is stopped."""
    from engine.registry import variant
    from notation.agreement import Agreement
    from notation.registry import dialect
    from service.analysis.searching import look
    from service.analysis.target import Place

    agreed = Agreement.from_tags(variant(game.variant), game.tags)
    parameters = replace(parameters, draw_by_points=agreed.draw_by_points)
    texts = dialect(game.variant)
    position = texts.start(game.tags)
    for action in [*game.actions, None]:
        played = None if action is None else texts.coordinate(action)
        for finding in look(game.variant, Place(position.copy(), played), parameters, stop):
            last = finding
        if stop():
            return
        yield last
        if action is not None:
            position.play(action)


def say_accuracy(variant: str, judged: list[Any]) -> None:
    """Print how well both sides played."""
    from engine.registry import variant as find_variant
    from engine.side import Side
    from service.analysis.judging import accuracy

    told = [(find_variant(variant).sides[side], accuracy(judged, side)) for side in Side]
    say("accuracy: " + ", ".join(f"{name} {'?' if v is None else v}" for name, v in told))


def by_the_service(
    service: Client, game: str, ply: int | None, parameters: Parameters, as_json: bool
) -> int:
    """Have a game analysed, and print what is found as it comes; 1 unless it is done."""
    from service.analysis.finding import finding_from_json
    from service.analysis.judging import judge, judge_all
    from service.cli import analysis_table as table

    asked = {"limits": parameters.limits, "lines": parameters.lines, "seed": parameters.seed}
    body = {"game": game, "ply": ply, **asked}
    view = service.post("/analyses", body, str(uuid4()))
    if not as_json:
        say(f"{view['id']}: {view['progress']['of']} positions as {view['view']} knows them")
        say(table.SEARCH if ply is not None else table.GAME)
    actions = service.get(f"/games/{game}")["actions"]
    sans = {(one["ply"], one["action"]): str(one["san"]) for one in actions}
    found: list[Finding | None] = []
    with progress(view["progress"]["of"], "position") as bar:
        while True:
            for looked in view["findings"][len(found) :]:
                told = looked["finding"]
                finding = None if told is None else finding_from_json(told | {"side": side(told)})
                if as_json:
                    say(json.dumps(looked))
                elif ply is not None and finding is not None:
                    table.say_all(table.search_rows(finding))
                elif found and (before := found[-1]) is not None:
                    # What was taken back since stands in its coordinate form.
                    played = sans.get((len(found), before.played), before.played or "")
                    say(table.game_row(len(found), played, before, finding, judge(before, finding)))
                found.append(finding)
            bar.update(len(found) - bar.n)
            if view["state"] not in UNDER_WAY:
                break
            time.sleep(POLL)
            view = service.get(f"/analyses/{view['id']}")
    if not as_json and ply is None:
        say_accuracy(view["variant"], judge_all(found))
    if view["reason"]:
        say(view["reason"], error=True)
    return 0 if view["state"] == "done" else 1


def side(told: dict[str, Any]) -> int:
    """The number of the side that a finding names."""
    return ("first", "second").index(told["side"])


def renewed(service: Client, as_json: bool) -> int:
    """Have what is stale analysed anew, and say how much that is; 1 if not all could be."""
    view = service.post("/analyses/stale", {}, str(uuid4()))
    while view["state"] in UNDER_WAY:
        time.sleep(POLL)
        view = service.get("/analyses/stale")
    told = f"{view['asked']} of {view['of']} analyses are made anew by engine {view['build']}"
    say(json.dumps(view) if as_json else told)
    return 0 if view["state"] == "done" else 1
