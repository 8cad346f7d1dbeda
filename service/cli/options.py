"""Options that several commands share, and the settings that come of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import click

from service.settings import Settings, read_settings

data_dir: Final[Callable[[Any], Any]] = click.option(
    "--data-dir",
    type=click.Path(file_okay=False),
    help="Where the service keeps its data [MOVELOG_DATA_DIR; default: data].",
)


def settings_with(**options: object) -> Settings:
    """The environment's settings with the options that were given in their place.

    `data_dir=...` stands in for MOVELOG_DATA_DIR and so on; None leaves the variable alone.
    Raises BadSetting.
    """
    given = {
        f"MOVELOG_{name.upper()}": str(value)
        for name, value in options.items()
        if value is not None
    }
    return read_settings({**os.environ, **given})
