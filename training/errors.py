"""What stops a step of the training.

TrainingError
├── FolderInUse       another process writes into the folder
├── MatchFailed       a network's match ended before its report
├── NoGames           the folder has no games of the variant
├── NoNetwork         the folder has no network of the variant
├── NoPositions       the folder has no positions of the variant
├── NoScale           the scores of the games do not go with their results
├── NothingSeen       a variant has no features for a network
├── OtherBuild        the folder's work was begun by another build
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


class OtherBuild(TrainingError):
    """The work of a folder was begun by other builds of the search, `found`, than this, `build`.

    Games and parameters follow from their plan only as long as the search stays the same.
    """

    message = (
        "{folder} was begun by the build {found}, and this is {build}: "
        "use a new folder, or go on with that build"
    )
    folder: Path
    found: str
    build: str


class UnknownParameter(TrainingError):
    """A parameter of the search that cannot be tuned; `known` are those that can."""

    message = "no parameter {name!r}; the parameters are {known}"
    name: str
    known: Sequence[str]


class FolderInUse(TrainingError):
    """Another process writes into the folder."""

    message = "another process writes into {folder}"
    folder: Path


class MatchFailed(TrainingError):
    """A network's match, `movelog selfplay` with `arguments`, ended with an error's `status`."""

    message = "movelog selfplay {arguments} ended with status {status}"
    arguments: str
    status: int


class NoGames(TrainingError):
    """A folder has no games of a variant, or of `any variant`."""

    message = "{folder} has no games of {variant}"
    folder: Path
    variant: str


class NoNetwork(TrainingError):
    """A folder has no network of a variant."""

    message = "{folder} has no network of {variant}"
    folder: Path
    variant: str


class NoPositions(TrainingError):
    """A folder has no positions of a variant, or of `any variant`."""

    message = "{folder} has no positions of {variant}"
    folder: Path
    variant: str


class NothingSeen(TrainingError):
    """A network of `variant` sees nothing yet; `known` names the variants that have features."""

    message = "no network has inputs for {variant}, only for {known}"
    variant: str
    known: str


class NoScale(TrainingError):
    """The `games` with a score are so few that their scores do not go with their results."""

    message = "no scale fits the scores and results of {games} games: more are needed"
    games: int
