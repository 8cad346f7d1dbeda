"""What stops a step of the training.

TrainingError
├── FolderInUse    another process writes games into the folder
└── OtherPlan      the folder holds games of another plan
"""

from __future__ import annotations

from pathlib import Path

from engine.described_error import DescribedError


class TrainingError(DescribedError):
    """Base of what stops a step."""


class OtherPlan(TrainingError):
    """A folder holds games of another plan than the one asked for; `found` is its own."""

    message = "{folder} holds games of {found}"
    folder: Path
    found: object


class FolderInUse(TrainingError):
    """Another process writes games into the folder."""

    message = "another process writes into {folder}"
    folder: Path
