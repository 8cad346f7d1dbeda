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


def settings_of(data_dir: str | None) -> Settings:
    """The settings of a service that there is, for commands that must not begin another.

    Raises BadSetting; NoService where the data directory holds none of a service's keys. With a
    Redis of one's own that is nothing to go by: `movelog token` may come first there.
    """
    from service.operations.errors import NoService

    settings = settings_with(data_dir=data_dir)
    if settings.embedded_redis and not any(file.exists() for file in settings.kept_files):
        raise NoService(settings.data_dir)
    return settings
