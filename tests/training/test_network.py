"""A network is fitted to positions, written, and plays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.katruji import features
from engine.learned.files import read_network
from engine.random_play import random_play
from engine.registry import find_variant
from notation.registry import find_dialect
from training.__main__ import main
from training.errors import FolderInUse
from training.folder_lock import locked
from training.network import Training, find_confidence, fit_network, round_network
from training.network_files import describe_commit, write
from training.network_samples import NetworkSamples, read_network_samples
from training.positions import LabelledPosition, read_shards
from training.seen import SEEN


def play(folder: Path, positions: int) -> Path:
    games = ["games", str(folder / "games"), "katruji"]
    assert main([*games, "--positions", str(positions), "--nodes", "50"]) == 0
    assert main(["positions", str(folder / "games"), str(folder / "positions"), "katruji"]) == 0
    return folder / "positions"


@pytest.mark.slow
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
        assert provenance["commit"] == describe_commit()
        assert provenance["losses"]["least"] < provenance["losses"]["after"]
    assert made[0] == made[1]


def known(won: int, game: int) -> LabelledPosition:
    fen = "1OO1/4/4/4/4/4/4/O1P1" if won else "P1O1/4/4/4/4/4/4/1OO1"
    return LabelledPosition(f"{fen} s 0-0 - 0 1", 0.95 if won else 0.05, game)


@pytest.mark.slow
def test_it_learns_what_the_positions_say() -> None:
    positions = [known(game % 2, game) for game in range(400)]
    samples: NetworkSamples = read_network_samples("katruji", positions)
    network, losses = fit_network(samples, Training(epochs=60, rate=0.01), features.MOST)
    assert losses.after < losses.before / 2
    rounded = round_network(network, 171)
    assert max(map(abs, rounded.inputs)) * features.MOST + max(map(abs, rounded.biases)) <= 32767


def test_one_command_writes_a_network_and_replaces_it_as_a_whole(tmp_path: Path) -> None:
    positions, training = [known(game % 2, game) for game in range(40)], Training(epochs=1)
    target = tmp_path / "network"
    write(target, "katruji", positions, training)
    files = [target / "network.bin", target / "network.json"]
    first = [file.read_bytes() for file in files]
    with files[0].open("rb") as network, files[1].open("rb") as provenance:
        write(target, "katruji", positions, replace(training, seed=1))
        assert [network.read(), provenance.read()] == first
    assert all(file.read_bytes() != old for file, old in zip(files, first, strict=True))
    with locked(target), pytest.raises(FolderInUse):
        write(target, "katruji", positions, training)


@pytest.mark.parametrize("confidence", [0.5, 1.0, 1.8])
def test_scores_keep_their_size_whoever_played_the_games(confidence: float) -> None:
    """Stronger players' games sharpen scores, but a point stays worth the same."""
    random = np.random.default_rng(5)
    samples = read_network_samples("katruji", [known(game % 2, game) for game in range(200)])
    odds = random.normal(0, 1.5, 20_000).astype(np.float32)
    chances = 1 / (1 + np.exp(-confidence * odds))
    rated = replace(samples, evaluations=odds, outlooks=chances.astype(np.float32))
    assert find_confidence(rated) == pytest.approx(confidence, abs=0.02)
    sharp = samples.sharpen(confidence)
    assert np.allclose(sharp.bases, confidence * samples.bases)
    assert np.allclose(sharp.evaluations, confidence * samples.evaluations)


def test_shards_are_what_is_read(tmp_path: Path) -> None:
    positions = list(read_shards(play(tmp_path, 200), "katruji"))
    samples = read_network_samples("katruji", positions)
    assert len(samples.games) == len(positions)
    pieces = sum(letter.isalpha() for letter in positions[0].fen.split()[0])
    for views in (samples.own, samples.other):
        assert (views[0] < samples.features).sum() == pieces + 4
    again = read_network_samples("katruji", positions, processes=2)
    assert np.array_equal(samples.own, again.own)
    assert np.array_equal(samples.evaluations, again.evaluations)


@pytest.mark.parametrize("variant", SEEN)
def test_a_mirrored_position_has_the_mirrored_features(variant: str) -> None:
    """A mirrored position has the mirrored features."""
    seen = SEEN[variant]
    mirror = seen.mirror
    assert sorted(mirror) == list(range(seen.features))
    assert [mirror[mirror[one]] for one in range(seen.features)] == list(range(seen.features))
    for position, mirrored in mirrored_positions(variant):
        for view in range(2):
            found = sorted(mirror[one] for one in seen.list_features(position, view))
            assert found == sorted(seen.list_features(mirrored, view))


def mirrored_positions(variant: str) -> Iterator[tuple[Any, Any]]:
    dialect = find_dialect(variant)
    for ply, (_, position) in enumerate(random_play(find_variant(variant).start(), Random(8), 60)):
        if ply % 6 == 0:
            rows, *rest = dialect.write_fen(position).split(" ")
            turned = "/".join("".join(CELLS.findall(row)[::-1]) for row in rows.split("/"))
            yield position, dialect.read_fen(" ".join([turned, *mirrored(variant, rest)]))


CELLS = re.compile(r"\d+|\D")


def mirrored(variant: str, fields: list[str]) -> list[str]:
    """A FEN's other fields; for Katruji without the undo ban, for Kerd without castlings."""
    if variant == "katruji":
        return [fields[0], fields[1], "-", *fields[3:]]
    if variant == "kerd":
        side, _, spent, recapture, *rest = fields
        return [side, "-", mirror_squares(spent), mirror_squares(recapture), *rest]
    return fields


def mirror_squares(text: str) -> str:
    files = "abcdefghijkl"
    squares = [(files[11 - files.index(at[0])], int(at[1:])) for at in SQUARE.findall(text)]
    return "".join(f"{file}{rank}" for file, rank in sorted(squares)) or "-"


SQUARE = re.compile(r"[a-l]\d+")


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert describe_commit() is None
