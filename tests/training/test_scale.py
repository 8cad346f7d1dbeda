"""The scale of the winning chances: the one that made the results is found."""

from __future__ import annotations

from math import exp
from pathlib import Path
from random import Random

import pytest

from engine.registry import find_variant
from engine.search.score import WIN
from notation.registry import find_dialect
from training.__main__ import main
from training.errors import NoScale
from training.game_files import GameFolder, Header
from training.plan import Plan
from training.played_game import PlayedGame
from training.scale import fit_scale, list_scores

KATRUJI = find_variant("katruji")
START = find_dialect("katruji").write_fen(KATRUJI.start())


def make_game(random: Random, scale: float, plies: int = 6) -> PlayedGame:
    """A game whose scores all tell the same chance, and whose result is drawn by it."""
    position = KATRUJI.start()
    lead = random.randint(-400, 400)
    won = float(random.random() < 1 / (1 + exp(-lead / scale)))
    actions, scores = [], []
    for _ in range(plies):
        scores.append(-lead if position.side else lead)
        actions.append(random.choice(position.legal()))
        position.play(actions[-1])
    return PlayedGame(START, actions, scores, won, "alka")


@pytest.mark.parametrize("scale", [60, 171, 400])
def test_the_scale_is_found_that_made_the_results(scale: int) -> None:
    random = Random(scale)
    fit = fit_scale(KATRUJI, [make_game(random, scale) for _ in range(1_500)])
    assert fit.games == 1_500
    assert abs(fit.scale - scale) < 3 * fit.error
    assert 0 < fit.error < scale / 8


def test_a_game_counts_once_however_long_it_is() -> None:
    random = Random(1)
    games = [make_game(random, 171, 2) for _ in range(300)]
    twice = [PlayedGame(START, one.actions, one.scores, one.points, "") for one in games]
    short = [PlayedGame(START, one.actions[:1], one.scores[:1], one.points, "") for one in games]
    assert fit_scale(KATRUJI, twice).scale == pytest.approx(fit_scale(KATRUJI, short).scale)


def test_scores_are_those_of_the_side_to_act_and_tell_no_end() -> None:
    position = KATRUJI.start()
    actions = []
    for _ in range(4):
        actions.append(position.legal()[0])
        position.play(actions[-1])
    played = PlayedGame(START, actions, [30, None, WIN - 3, -50], 1.0, "alka")
    assert list(list_scores(KATRUJI, played)) == [(30, 1.0), (-50, 0.0)]


def test_the_command_prints_the_scale_beside_the_one_in_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, random = GameFolder(tmp_path), Random(7)
    folder.begin(Plan())
    games = [make_game(random, 171) for _ in range(200)]
    folder.write(Header("katruji", KATRUJI.rules, "build", 0, len(games), 0), games)
    assert main(["scale", str(tmp_path)]) == 0
    fit = fit_scale(KATRUJI, games)
    told = f"katruji: 200 games, scale {fit.scale:.0f} ± {fit.error:.0f} (171 in use)\n"
    assert capsys.readouterr().out == told


def test_scores_that_do_not_go_with_the_results_have_no_scale() -> None:
    wrong = [PlayedGame(START, [KATRUJI.start().legal()[0]], [100], 0.0, "alka")]
    with pytest.raises(NoScale):
        fit_scale(KATRUJI, wrong)
    with pytest.raises(NoScale):
        fit_scale(KATRUJI, [])
