"""What stops a step of the training.

TrainingError
├── FolderInUse       another process writes games into the folder
├── MatchFailed       a network's match ended before its report
├── NoGames           the folder has no games of the variant
├── NothingSeen       a variant has no features for a network
├── OtherPlan         the folder belongs to another plan
└── UnknownParameter  a parameter of the search that cannot be tuned
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.described_error import DescribedError


class TrainingError(DescribedError):
    """Base of the errors that stop a step."""


class OtherPlan(TrainingError):
    """A folder belongs to a plan other than the requested one; `found` is the folder's plan."""

    message = "{folder} was made by {found}"
    folder: Path
    found: object


class UnknownParameter(TrainingError):
    """A parameter of the search that cannot be tuned; `known` are those that can."""

    message = "no parameter {name!r}; the parameters are {known}"
    name: str
    known: Sequence[str]


class FolderInUse(TrainingError):
    """Another process writes games into the folder."""

    message = "another process writes into {folder}"
    folder: Path


class MatchFailed(TrainingError):
    """A network's match, `movelog selfplay` with `arguments`, ended with an error's `status`."""

    message = "movelog selfplay {arguments} ended with status {status}"
    arguments: str
    status: int


class NoGames(TrainingError):
    """A folder has no games of a variant."""

    message = "{folder} has no games of {variant}"
    folder: Path
    variant: str


class NothingSeen(TrainingError):
    """A network of `variant` sees nothing yet; `known` names the variants that have features."""

    message = "no network has inputs for {variant}, only for {known}"
    variant: str
    known: str
