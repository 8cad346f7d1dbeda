"""The networks of the games' evaluations, and their files."""

from __future__ import annotations

import json
import shutil
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import engine
from engine.errors import BadNetwork
from engine.katruji import features
from engine.learned.files import MOST_BYTES, NAME, read_network, write_network
from engine.learned.layout import HIDDEN, ONE, OUTPUT_SHIFT
from engine.learned.network import Accumulator, Network
from engine.random_play import random_play
from engine.registry import VARIANTS
from engine.search import Limits, Search, evaluate
from training.seen import SEEN

ENGINE = Path(engine.__file__).parent
KATRUJI = ENGINE / "katruji"


def read(folder: Path) -> Network | None:
    return read_network(folder, features.LAYOUT, features.FEATURES, features.MOST)


def learned(variant: str, position: Any) -> int:
    """The network's output, computed as its documentation describes."""
    seen = SEEN[variant]
    count = HIDDEN * seen.features
    body = (ENGINE / variant / NAME).read_bytes().partition(b"\n")[2]
    numbers = array("h", body[:-4])
    if sys.byteorder == "big":
        numbers.byteswap()
    inputs, biases, outputs = (
        numbers[:count],
        numbers[count : count + HIDDEN],
        numbers[count + HIDDEN :],
    )
    total = int.from_bytes(body[-4:], "little", signed=True)
    for place, view in enumerate((position.side, 1 - position.side)):
        found = seen.list_features(position, view)
        assert len(set(found)) == len(found) <= seen.most
        for unit in range(HIDDEN):
            activation = biases[unit] + sum(inputs[HIDDEN * one + unit] for one in found)
            total += max(0, min(ONE, activation)) * outputs[HIDDEN * place + unit]
    return total >> OUTPUT_SHIFT


@pytest.mark.parametrize("variant", SEEN)
def test_the_evaluation_is_the_base_and_what_the_network_says(variant: str) -> None:
    first = VARIANTS[variant].start()
    played = [each.copy() for _, each in random_play(first, Random(3), 60)]
    positions = [each for each in played if each.outcome() is None]
    assert len(positions) > 20
    for position in positions:
        expected = SEEN[variant].base(position) + learned(variant, position)
        assert evaluate(VARIANTS[variant], position) == expected


def test_features_that_come_and_go_leave_nothing_behind() -> None:
    network = read(KATRUJI)
    assert network is not None
    accumulator = Accumulator(network)
    random = Random(4)
    outputs = []
    line = [random.sample(range(features.FEATURES), 6) for _ in range(64)]
    for chosen in line:
        outputs.append([accumulator.output(side) for side in range(2)])
        accumulator.push()
        for feature in chosen[:4]:
            accumulator.add(0, feature)
            accumulator.add(1, feature)
        for feature in chosen[2:]:
            accumulator.remove(feature % 2, feature)
            accumulator.add(feature % 2, feature)
        accumulator.remove(0, chosen[0])
        accumulator.remove(1, chosen[0])
        accumulator.remove(0, chosen[1])
        accumulator.remove(1, chosen[1])
        if random.random() < 0.9:
            for feature in chosen[2:4]:
                accumulator.remove(0, feature)
                accumulator.remove(1, feature)
            assert [accumulator.output(side) for side in range(2)] == outputs[-1]
            accumulator.pop()
            accumulator.push()
    for expected in reversed(outputs):
        accumulator.pop()
        assert [accumulator.output(side) for side in range(2)] == expected


@pytest.mark.parametrize("variant", SEEN)
def test_without_the_network_the_terms_are_searched(variant: str) -> None:
    game = VARIANTS[variant]
    scores = []
    for network in (True, False):
        techniques = replace(game.techniques, network=network)
        *_, last = Search(game, techniques=techniques).iterate(game.start(), Limits(depth=2))
        scores.append(last.lines[0].score)
    assert scores[0] != scores[1]


def test_each_file_is_small_and_says_what_it_was_made_of() -> None:
    files = sorted(ENGINE.glob(f"*/{NAME}"))
    assert files
    for path in files:
        assert path.stat().st_size <= MOST_BYTES
        header = json.loads(path.read_bytes().partition(b"\n")[0])
        provenance = json.loads(path.with_suffix(".json").read_text("ascii"))
        assert provenance["sha256"] == header["sha256"]
        assert provenance.keys() >= {
            *("games", "positions", "played_with", "build", "commit"),
            *("training", "losses", "matches"),
        }


def test_a_game_without_a_file_has_no_network(tmp_path: Path) -> None:
    assert read(tmp_path) is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"{", b"[", "not JSON"),
        (b"katruji 1", b"katruji 2", "it is for"),
        (b'"hidden": 32', b'"hidden": 16', "it is for"),
    ],
)
def test_files_of_other_layouts_are_refused(
    tmp_path: Path, old: bytes, new: bytes, reason: str
) -> None:
    content = (KATRUJI / NAME).read_bytes()
    assert old in content
    (tmp_path / NAME).write_bytes(content.replace(old, new, 1))
    with pytest.raises(BadNetwork, match=reason):
        read(tmp_path)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    shutil.copy(KATRUJI / NAME, tmp_path)
    content = bytearray((tmp_path / NAME).read_bytes())
    content[-100] ^= 1
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(BadNetwork, match="are not those"):
        read(tmp_path)
    (tmp_path / NAME).write_bytes(b"")
    with pytest.raises(BadNetwork, match="not JSON"):
        read(tmp_path)


def write(folder: Path, features_given: int, weight: int, output_bias: int = 0) -> None:
    write_network(
        folder / NAME,
        features.LAYOUT,
        [weight] * (HIDDEN * features_given),
        [0] * HIDDEN,
        [0] * 2 * HIDDEN,
        output_bias,
        True,
    )


def test_sums_that_may_overflow_are_refused(tmp_path: Path) -> None:
    write(tmp_path, features.FEATURES, 32767 // features.MOST)
    assert read(tmp_path) is not None
    write(tmp_path, features.FEATURES, 32767 // features.MOST + 1)
    with pytest.raises(BadNetwork, match="may overflow"):
        read(tmp_path)
    write(tmp_path, features.FEATURES, 0, 1 << 29)
    with pytest.raises(BadNetwork, match="output may overflow"):
        read(tmp_path)


def test_another_number_of_features_is_refused(tmp_path: Path) -> None:
    write(tmp_path, features.FEATURES - 1, 1)
    with pytest.raises(BadNetwork, match="it is for"):
        read(tmp_path)
