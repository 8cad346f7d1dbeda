"""The files of the games' networks: written by training, read where a game's tree is loaded.

A file is a line of JSON, then the weights as 16-bit integers, the lowest byte first: those of the
features, the hidden units' biases and their outputs; last the output's bias with 32 bits. Beside
each file lies one that says what its weights were made from (`network.json`).

With `MOVELOG_NETWORKS` set to a folder, the files `GAME/network.bin` there replace those of the
games.
"""

from __future__ import annotations

import json
import os
from array import array
from hashlib import sha256
from pathlib import Path
from struct import pack, unpack
from sys import byteorder
from typing import Final

from engine.errors import BadNetwork
from engine.learned.layout import FEATURES, HIDDEN, LARGEST
from engine.learned.network import Network

NAME: Final = "network.bin"
FOLDER_VARIABLE: Final = "MOVELOG_NETWORKS"
MOST_BYTES: Final = 512 * 1024
"""The greatest size of a file."""
MOST_BIAS: Final = 1 << 29
"""The output's bias is smaller than this, so that no sum overflows."""


def network_path(folder: Path) -> Path:
    """The path of the network of the game in a folder, if there is one."""
    other = Path(os.environ.get(FOLDER_VARIABLE) or folder.parent, folder.name, NAME)
    return other if other.exists() else folder / NAME


def read_network(folder: Path, layout: str, features: int, most: int) -> Network | None:
    """The network of the game in a folder; None where it has none.

    `layout` names the game's features, `features` is their number, and at most `most` are present
    at the same time. Raises BadNetwork where the file is damaged or was made for other features.
    """
    path = network_path(folder)
    if not path.exists():
        return None
    first, _, body = path.read_bytes().partition(b"\n")
    try:
        header = json.loads(first)
    except ValueError as error:
        raise BadNetwork(path, "its first line is not JSON") from error
    wanted = {"layout": layout, "hidden": HIDDEN, "features": features}
    found = {key: header.get(key) for key in wanted} if isinstance(header, dict) else header
    if found != wanted:
        raise BadNetwork(path, f"it is for {found}, not {wanted}")
    if header.get("sha256") != sha256(body).hexdigest():
        raise BadNetwork(path, "its weights are not those that its first line describes")
    return parse_weights(path, body, features, most, header.get("replaces_terms") is True)


def parse_weights(
    path: Path, body: bytes, features: int, most: int, replaces_terms: bool
) -> Network:
    """The network with these weights; BadNetwork where sums of them could overflow."""
    count = HIDDEN * (features + 3)
    if features > FEATURES or len(body) != 2 * count + 4:
        raise BadNetwork(path, f"{len(body)} bytes are not the weights of {features} features")
    numbers = array("h", body[: 2 * count])
    if byteorder == "big":
        numbers.byteswap()
    inputs = numbers[: HIDDEN * features].tolist()
    biases = numbers[HIDDEN * features : HIDDEN * (features + 1)].tolist()
    outputs = numbers[HIDDEN * (features + 1) :].tolist()
    (output_bias,) = unpack("<i", body[2 * count :])
    for unit in range(HIDDEN):
        largest = max(map(abs, inputs[unit::HIDDEN]))
        if abs(biases[unit]) + most * largest > LARGEST:
            raise BadNetwork(path, f"the sum of hidden unit {unit} may overflow")
    if abs(output_bias) >= MOST_BIAS:
        raise BadNetwork(path, "the output may overflow")
    return Network(inputs, biases, outputs, output_bias, replaces_terms)


def write_network(
    path: Path,
    layout: str,
    inputs: list[int],
    biases: list[int],
    outputs: list[int],
    output_bias: int,
    replaces_terms: bool,
) -> str:
    """Write a file that `read_network` reads; return the SHA-256 of its weights.

    OverflowError for a weight of more than 16 bits.
    """
    numbers = array("h", [*inputs, *biases, *outputs])
    if byteorder == "big":
        numbers.byteswap()
    body = numbers.tobytes() + pack("<i", output_bias)
    digest = sha256(body).hexdigest()
    header = {
        "layout": layout,
        "hidden": HIDDEN,
        "features": len(inputs) // HIDDEN,
        "replaces_terms": replaces_terms,
        "sha256": digest,
    }
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    return digest
