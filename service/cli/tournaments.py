"""All of `movelog tournament`: the group with the commands of every module."""

from service.cli import tournament_records, tournament_tables
from service.cli.tournament import tournament

__all__ = ["tournament", "tournament_records", "tournament_tables"]
