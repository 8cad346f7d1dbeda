"""All of `movelog tournament`: the group, with the commands that each module adds to it."""

import service.cli.tournament.corrections
import service.cli.tournament.decision
import service.cli.tournament.entries
import service.cli.tournament.files
import service.cli.tournament.rounds
import service.cli.tournament.setup
import service.cli.tournament.standings  # noqa: F401 -- each adds its commands to the group
from service.cli.tournament.group import tournament

__all__ = ["tournament"]
