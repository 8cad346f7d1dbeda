"""All of `movelog tournament`: the group with the commands of every module."""

import service.cli.tournament_records
import service.cli.tournament_ruling
import service.cli.tournament_tables  # noqa: F401 -- each adds its commands to the group
from service.cli.tournament import tournament

__all__ = ["tournament"]
