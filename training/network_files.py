"""Networks as the engine reads them, with what each was made from."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from engine.learned.files import NAME, write_network
from engine.registry import find_variant
from engine.search import build_id
from service.cli.progress import show_progress
from training.folder_lock import locked
from training.game_files import replaced, write_bytes
from training.network import Training, find_confidence, fit_network, round_network
from training.network_samples import read_network_samples
from training.positions import LabelledPosition
from training.seen import SEEN

PROVENANCE: Final = Path(NAME).with_suffix(".json").name


def write(
    folder: Path,
    variant: str,
    positions: Iterable[LabelledPosition],
    training: Training,
    processes: int = 1,
) -> str:
    """Fit a network to positions, at least one, and write it into a folder; return its losses.

    Its scores are as large as those of the evaluation in use, so that the search's margins still
    hold: it is fitted to odds scaled by the factor with which that evaluation loses least, and
    rounded with the scale divided by the same factor.

    `build` is that of the search that computed the evaluation in use, `commit` what is checked out.
    Raises FolderInUse.
    """
    seen = SEEN[variant]
    with locked(folder):
        samples = read_network_samples(variant, positions, processes)
        confidence = find_confidence(samples)
        with show_progress("epochs") as report:
            network, losses = fit_network(samples.sharpen(confidence), training, seen.most, report)
        rounded = round_network(network, find_variant(variant).scale / confidence)
        with replaced(folder / NAME) as part:
            digest = write_network(
                part,
                seen.layout,
                rounded.inputs,
                rounded.biases,
                rounded.outputs,
                rounded.output_bias,
                seen.replaces_terms,
            )
        provenance = {
            "variant": variant,
            "sha256": digest,
            "positions": len(samples.games),
            "games": len(set(samples.games.tolist())),
            "build": build_id(),
            "commit": describe_commit(),
            "training": asdict(training),
            "confidence": confidence,
            "losses": asdict(losses),
        }
        write_bytes(folder / PROVENANCE, f"{json.dumps(provenance, indent=2)}\n".encode())
    return (
        f"loss {losses.before:.4f} before, {losses.after:.4f} with the network, "
        f"{losses.least:.4f} at least"
    )


def describe_commit() -> str | None:
    """The checked out commit, `-dirty` if there are changes; None outside a git repository."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip()
