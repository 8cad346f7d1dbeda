"""Weights fitted to positions: known ones are recovered, with realistic errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.katruji.evaluation import evaluate as evaluate_katruji
from engine.kerak.evaluation import evaluate as evaluate_kerak
from engine.kerd.evaluation import evaluate as evaluate_kerd
from engine.registry import VARIANTS, find_variant
from engine.search import evaluate
from notation.registry import find_dialect
from training.__main__ import main
from training.evaluations import EVALUATIONS
from training.positions import LabelledPosition
from training.weights import Samples, fit_weights, read_samples, report

KATRUJI = EVALUATIONS["katruji"]
TERMS: dict[str, Callable[[Any], int]] = {
    "katruji": evaluate_katruji,
    "kerak": evaluate_kerak,
    "kerd": lambda position: evaluate_kerd(position.state),
}
"""The term-based evaluations of the variants that normally use networks."""


def made_up(weights: list[float], scale: float, games: int, seed: int) -> Samples:
    """Positions of random terms, with game results drawn by these weights."""
    random = np.random.default_rng(seed)
    terms = random.integers(-3, 4, (20 * games, len(weights))).astype(np.int16)
    scores = terms @ np.array(weights)
    points = (random.random(len(scores)) < 1 / (1 + np.exp(-scores / scale))).astype(np.float64)
    return Samples(terms, points, np.repeat(np.arange(games), 20))


def test_the_weights_are_found_that_made_the_results() -> None:
    true = [100.0, 30.0, -60.0, -20.0, 8.0, 40.0, 0.0, 10.0, 25.0, 60.0]
    samples = made_up(true, 250, 2_000, seed=1)
    fit = fit_weights(KATRUJI, samples)
    off = (fit.weights - true)[1:] / fit.errors[1:]
    assert np.abs(off).max() < 4
    assert fit.errors.max() < 5
    assert fit.scale == pytest.approx(250, rel=0.1)
    assert fit.after < fit.before
    assert fit.least == pytest.approx(0, abs=1e-4)
    # Labels that are exact chances, without noise, determine the weights exactly.
    known = made_up(true, KATRUJI.scale, 500, seed=2)
    chances = 1 / (1 + np.exp(-known.counts @ np.array(true) / KATRUJI.scale))
    exact = fit_weights(KATRUJI, replace(known, outlooks=chances))
    assert exact.weights == pytest.approx(true, abs=1)
    assert exact.scale == pytest.approx(KATRUJI.scale, rel=0.02)
    assert exact.after == pytest.approx(exact.least, abs=1e-3)


def test_what_the_results_say_nothing_about_stays_as_it_was() -> None:
    samples = made_up([100.0] + [0.0] * 9, 200, 200, seed=3)
    samples.counts[:, 4:] = 0
    fit = fit_weights(KATRUJI, samples)
    before = np.array(KATRUJI.weights) / KATRUJI.scale
    assert (fit.weights / fit.scale)[4:] == pytest.approx(before[4:])


def test_positions_of_one_game_are_one_observation() -> None:
    """Positions of one game are not independent: copies widen the estimated errors."""
    many = made_up([100.0] + [10.0] * 9, 200, 400, seed=4)
    single = Samples(many.counts[::20], many.outlooks[::20], many.games[::20])
    copied = Samples(
        np.repeat(single.counts, 20, axis=0),
        np.repeat(single.outlooks, 20),
        many.games,
    )
    fits = [fit_weights(KATRUJI, one) for one in (many, copied)]
    spread, narrow = ((fit.errors / fit.scale)[1:].mean() for fit in (fits[1], fits[0]))
    assert spread > 3 * narrow


@pytest.mark.slow
def test_the_numbers_of_piece_square_tables_are_weights_like_the_others() -> None:
    kerd = EVALUATIONS["kerd"]
    assert kerd.piece_squares is not None
    random = np.random.default_rng(5)
    terms, numbers = len(kerd.weights), len(kerd.piece_squares.numbers)
    true = np.array([100.0, *[0.0] * (terms - 1), *random.integers(-60, 61, numbers)])
    counts = random.integers(-1, 2, (60_000, terms + numbers)).astype(np.int16)
    counts[:, 1:terms] = 0
    counts[:, terms + 90 :] = 0
    chances = 1 / (1 + np.exp(-counts @ true / 300))
    fit = fit_weights(kerd, Samples(counts, chances, np.arange(60_000) // 20))
    found, sought = fit.piece_squares, true[terms:]
    assert found[:90] == pytest.approx(sought[:90], abs=8)
    expected = np.array(kerd.piece_squares.numbers) / kerd.scale
    assert (found / fit.scale)[90:] == pytest.approx(expected[90:])
    first = report(kerd, fit).splitlines()[-numbers // kerd.piece_squares.files]
    assert first == f"    *({', '.join(str(round(number)) for number in found[:6])}),"


@pytest.mark.parametrize("name", VARIANTS)
def test_samples_are_what_the_evaluation_sees(name: str) -> None:
    variant, dialect, evaluation = find_variant(name), find_dialect(name), EVALUATIONS[name]
    position = variant.start()
    fens = []
    for _ in range(6):
        position.play(position.legal()[-1])
        fens.append(dialect.write_fen(position))
    labelled = [LabelledPosition(fen, 0.75, number) for number, fen in enumerate(fens)]
    samples = read_samples(name, labelled)
    tables = evaluation.piece_squares
    weights = [*evaluation.weights, *(tables.numbers if tables else ())]
    for row, fen in enumerate(fens):
        position = dialect.read_fen(fen)
        sign = -1 if position.side else 1
        by_terms = TERMS[name](position) if name in TERMS else evaluate(variant, position)
        assert sign * (samples.counts[row] @ weights) == by_terms
        assert samples.outlooks[row] == (0.25 if position.side else 0.75)
    assert list(samples.games) == list(range(6))


def test_the_command_prints_each_weight_beside_the_one_in_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, positions = str(tmp_path / "games"), str(tmp_path / "positions")
    main(["games", games, "katruji", "--nodes", "20", "--positions", "400"])
    main(["positions", games, positions, "katruji"])
    capsys.readouterr()
    assert main(["weights", positions, "katruji", "--positions", "100"]) == 0
    head, loss, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("katruji: 100 positions of ")
    before, fitted, least = (
        float(word) for word in loss.split() if word[0].isdigit() and "." in word
    )
    # So few games do not generalize; the fit itself is tested above.
    assert min(before, fitted) > least > 0
    assert [line.split()[0] for line in lines] == [term.name for term in KATRUJI.names]
    assert [line.rpartition("was ")[2] for line in lines] == [f"{w})" for w in KATRUJI.weights]
