from __future__ import annotations

from dataclasses import replace

import pytest

from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write
from service.analysis.annotation import annotate_game, format_evaluation
from service.analysis.finding import Finding
from service.analysis.state import AnalysisState
from service.game.commands import Annotation
from service.game.record import make_record
from service.game.state import GameState
from service.game.values import Played
from service.game.variations import list_lines
from tests.service.analysis.support import analysed, found
from tests.service.projection.support import create, memory_games, play


@pytest.fixture
def game() -> GameState:
    """A game of Katruji with two actions."""
    games = memory_games()
    create(games, "g")
    return play(games, "g", 2)


def findings(game: GameState) -> list[Finding]:
    """A blunder, then a good action."""
    one, two = (played.coordinate for played in game.played)
    better = find_dialect("katruji").start({}).legal()[5]
    best = find_dialect("katruji").coordinate(better)
    return [found(0, 0.6, one, best), found(1, 0.3, two, two), found(0, 0.31)]


def noted(played: Played, **note: object) -> Played:
    return replace(played, annotation=Annotation(**note))  # type: ignore[arg-type]


def test_a_blunder_gets_its_glyph_and_the_better_line(game: GameState) -> None:
    first, second = annotate_game(game, analysed(*findings(game))).played
    assert first.annotation == Annotation(nags=(4,), after=("[%eval -2.00]",))
    [better] = list_lines(first)
    assert (
        find_dialect("katruji").coordinate(better[0].action)
        == findings(game)[0].lines[0].actions[0]
    )
    assert second.annotation == Annotation(after=("[%eval -1.90]",))
    assert second.variations == ()


def test_what_is_written_can_be_read(game: GameState) -> None:
    text = write(make_record(annotate_game(game, analysed(*findings(game))), {}))
    assert write(read_game(text)) == text
    assert "$4" in text


def test_what_somebody_else_has_written_stands(game: GameState) -> None:
    first, second = game.played
    own = noted(first, nags=(1,), after=("[%eval 0.5] fine",))
    kept = replace(game, played=(own, second))
    shown = annotate_game(kept, analysed(*findings(game))).played[0]
    assert shown.annotation == own.annotation
    assert len(shown.variations) == 1
    assert (
        annotate_game(replace(game, played=(shown, second)), analysed(*findings(game)))
        .played[0]
        .variations
        == shown.variations
    )


def test_where_the_game_took_another_course_nothing_is_said(game: GameState) -> None:
    told = findings(game)
    other = analysed(told[0], replace(told[1], played="Kyan"), told[2])
    first, second = annotate_game(game, other).played
    assert first.annotation.after
    assert second == game.played[1]


def test_after_another_course_nothing_that_comes_later_is_judged() -> None:
    games = memory_games()
    create(games, "g")
    game = play(games, "g", 3)
    one, _, three = (played.coordinate for played in game.played)
    told = [found(0, 0.5, one, one), found(1, 0.5, "Kyan", "Kyan"), found(0, 0.6, three, "Alka")]
    other = analysed(*told, found(1, 0.1))
    first, *later = annotate_game(game, other).played
    assert first.annotation.after
    assert later == list(game.played[1:])


def test_what_is_not_analysed_is_left_as_it_is(game: GameState) -> None:
    state: AnalysisState = analysed(None, None, None)
    assert annotate_game(game, state) == game
    assert annotate_game(game, analysed()) == game


def test_a_line_is_cut_where_it_cannot_be_played(game: GameState) -> None:
    told = findings(game)
    line = replace(told[0].lines[0], actions=(*told[0].lines[0].actions, "z9z9"))
    state = analysed(replace(told[0], lines=(line,)), *told[1:])
    [better] = annotate_game(game, state).played[0].variations
    assert len(better) == 1


@pytest.mark.parametrize(
    ("plies", "chance", "told"),
    [(None, 0.35, "-1.50"), (5, 1.0, "#3"), (4, 0.0, "#2"), (0, 1.0, "#0")],
)
def test_an_evaluation_is_in_units_or_in_moves_to_the_end(
    plies: int | None, chance: float, told: str
) -> None:
    finding = found(0, chance, plies_to_end=plies)
    if chance == 0.0:
        finding, told = replace(finding, score=-31_996), "#-2"
    assert format_evaluation(finding) == told
