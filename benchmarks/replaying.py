"""Replaying games from parsed actions, plies a second, against python-chess's `push`."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import chess

from benchmarks.turns import Measurement, measure_in_turn
from engine.position import Action
from engine.registry import find_variant
from notation.reader import read

RECORDS = Path(__file__).parents[1] / "tests" / "data" / "records"
REPEATS = 20


def recorded(name: str) -> list[tuple[Action, ...]]:
    """The actions of every recorded game of a variant that begins at its start."""
    with (RECORDS / f"{name}.pgn").open("rb") as stream:
        games = [verdict.game for verdict in read(stream)]
    return [game.actions for game in games if "FEN" not in game.tags]


def chess_games(lengths: list[int]) -> list[list[chess.Move]]:
    """Random chess games of these lengths (or ended sooner)."""
    random = Random(1)
    games = []
    for length in lengths:
        board = chess.Board()
        moves: list[chess.Move] = []
        while len(moves) < length and (legal := list(board.legal_moves)):
            moves.append(random.choice(legal))
            board.push(moves[-1])
        games.append(moves)
    return games


def figure(name: str, rounds: int) -> Measurement:
    """The comparison for one variant."""
    games = recorded(name)
    chess_moves = chess_games([len(game) for game in games])
    start = find_variant(name).start

    def ours() -> float:
        begun = time.process_time()
        for _ in range(REPEATS):
            for game in games:
                position = start()
                for action in game:
                    position.play(action)
        return REPEATS * sum(map(len, games)) / (time.process_time() - begun)

    def theirs() -> float:
        begun = time.process_time()
        for game in chess_moves:
            board = chess.Board()
            for move in game:
                board.push(move)
        return sum(map(len, chess_moves)) / (time.process_time() - begun)

    candidate, baseline, ratio = measure_in_turn(f"{name} replay", ours, theirs, rounds)
    return Measurement(
        f"{name} replay of recorded games from parsed actions, each checked, against python-chess",
        f"movelog {candidate / 1e3:.0f} k plies/s",
        f"python-chess push, unchecked {baseline / 1e3:.0f} k plies/s",
        ratio,
        bar=5,
    )
