"""A network is fitted to positions, written, and plays."""

from __future__ import annotations

import json
from pathlib import Path

from engine.katruji import features
from engine.learned.files import read_network
from training.__main__ import main
from training.network import Training, fit_network, round_network
from training.network_samples import NetworkSamples, read_network_samples
from training.positions import LabelledPosition, read_shards


def play(folder: Path, positions: int) -> Path:
    games = ["games", str(folder / "games"), "katruji"]
    assert main([*games, "--positions", str(positions), "--nodes", "50"]) == 0
    assert main(["positions", str(folder / "games"), str(folder / "positions"), "katruji"]) == 0
    return folder / "positions"


def test_a_network_is_made_of_games(tmp_path: Path) -> None:
    positions = play(tmp_path, 1200)
    made = []
    for name in ("one", "two"):
        target = tmp_path / name
        assert main(["network", str(positions), str(target), "katruji", "--epochs", "2"]) == 0
        made.append((target / "network.bin").read_bytes())
        assert read_network(target, features.LAYOUT, features.FEATURES, features.MOST) is not None
        provenance = json.loads((target / "network.json").read_text("ascii"))
        assert provenance["games"] >= 30
        assert provenance["losses"]["least"] < provenance["losses"]["after"]
    assert made[0] == made[1]


def known(points: float) -> LabelledPosition:
    fen = "1OO1/4/4/4/4/4/4/O1P1" if points else "P1O1/4/4/4/4/4/4/1OO1"
    return LabelledPosition(f"{fen} s 0-0 - 0 1", 400 if points else -400, points, 0)


def test_it_learns_what_the_positions_say() -> None:
    positions = [
        LabelledPosition(one.fen, one.score, one.points, game)
        for game in range(400)
        for one in (known(game % 2),)
    ]
    samples: NetworkSamples = read_network_samples("katruji", positions)
    network, losses = fit_network(samples, Training(epochs=60, rate=0.01), features.MOST)
    assert losses.after < losses.before / 2
    rounded = round_network(network, 171)
    assert max(map(abs, rounded.inputs)) * features.MOST + max(map(abs, rounded.biases)) <= 32767


def test_shards_are_what_is_read(tmp_path: Path) -> None:
    positions = list(read_shards(play(tmp_path, 200), "katruji"))
    samples = read_network_samples("katruji", positions)
    assert len(samples.games) == len(positions)
    own, other = samples.views(samples.games[:1] * 0, mirrored=False)
    pieces = sum(letter.isalpha() for letter in positions[0].fen.split()[0])
    assert own.sum() == other.sum() == pieces + 4
