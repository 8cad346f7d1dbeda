"""Reading records (lexing, replaying, judging), plies a second, against python-chess."""

from __future__ import annotations

import io
import time

import chess.pgn

from benchmarks.replaying import RECORDS, chess_games
from benchmarks.turns import Measurement, measure_in_turn
from notation.game import Game
from notation.reader import read

REPEATS = 10
OF_THE_GAME = ("Variant", "FEN", "SetUp", "Result")


def chess_text(games: list[Game]) -> tuple[str, int]:
    """Random chess games of the same lengths under the same tags, and their plies."""
    texts = []
    plies = 0
    moves = chess_games([len(game.moves) for game in games])
    for game, line in zip(games, moves, strict=True):
        record = chess.pgn.Game({k: v for k, v in game.tags.items() if k not in OF_THE_GAME})
        record.add_line(line)
        texts.append(str(record))
        plies += len(line)
    return "\n\n".join(texts), plies


def figure(name: str, rounds: int) -> Measurement:
    """The comparison for one variant's records."""
    data = (RECORDS / f"{name}.pgn").read_bytes()
    games = [verdict.game for verdict in read(io.BytesIO(data))]
    plies = sum(len(game.moves) for game in games)
    text, chess_plies = chess_text(games)

    def ours() -> float:
        begun = time.process_time()
        for _ in range(REPEATS):
            for verdict in read(io.BytesIO(data)):
                _ = verdict.game
        return REPEATS * plies / (time.process_time() - begun)

    def theirs() -> float:
        begun = time.process_time()
        stream = io.StringIO(text)
        while chess.pgn.read_game(stream) is not None:
            pass
        return chess_plies / (time.process_time() - begun)

    candidate, baseline, ratio = measure_in_turn(f"{name} reading", ours, theirs, rounds)
    return Measurement(
        f"{name} records read, replayed and judged, against python-chess",
        f"movelog {candidate / 1e3:.0f} k plies/s",
        f"python-chess read_game {baseline / 1e3:.0f} k plies/s",
        ratio,
        bar=5,
    )
