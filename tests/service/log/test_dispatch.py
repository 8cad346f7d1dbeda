"""Dispatch by class: every command and event of games and tournaments has its handler."""

from __future__ import annotations

from types import ModuleType
from typing import get_args

import pytest

from service.game import commands, events
from service.game.decide import DECISIONS as GAME_DECISIONS
from service.game.evolve import EFFECTS as GAME_EFFECTS
from service.log.dispatch import DispatchTable, handle
from service.log.values import Event
from service.tournament import commands as tournament_commands
from service.tournament import events as tournament_events
from service.tournament.decide import DECISIONS as TOURNAMENT_DECISIONS
from service.tournament.evolve import EFFECTS as TOURNAMENT_EFFECTS


def join_words(word: str, left: str, right: str) -> str:
    return f"{left} {word} {right}"


def join_numbers(number: int, left: str, right: str) -> str:
    return f"{left}{number:+}{right}"


TABLE = DispatchTable[str, str, str](
    "what can be joined", handle(str, join_words), handle(int, join_numbers)
)


def classes_in(module: ModuleType, base: type) -> set[type]:
    """The subclasses of `base` in the module that have no subclass there themselves."""
    kinds = {k for k in vars(module).values() if isinstance(k, type) and issubclass(k, base)}
    return {kind for kind in kinds if not any(kind in other.__mro__[1:] for other in kinds)}


def test_a_message_goes_to_the_handler_of_its_class() -> None:
    assert TABLE("and", "salt", "pepper") == "salt and pepper"
    assert TABLE(3, "x", "y") == "x+3y"


@pytest.mark.parametrize(("message", "name"), [(True, "bool"), (None, "NoneType"), (1.5, "float")])
def test_a_message_without_a_handler_is_named(message: object, name: str) -> None:
    with pytest.raises(TypeError, match=f"^{name} is not what can be joined$"):
        TABLE(message, "x", "y")


def test_no_class_has_two_handlers() -> None:
    with pytest.raises(ValueError, match="two handlers"):
        DispatchTable[str, str, str](
            "what can be joined", handle(str, join_words), handle(str, join_words)
        )


def test_every_command_on_a_game_is_decided() -> None:
    creating = {commands.CreateGame, commands.ImportRecord}
    assert set(GAME_DECISIONS.functions) == classes_in(commands, commands.Command) - creating


def test_every_event_after_a_games_first_has_an_effect() -> None:
    first = {events.GameCreated, events.GameSetUp, events.RecordImported}
    assert set(GAME_EFFECTS.functions) == set(events.EVENTS.values()) - first
    assert classes_in(events, Event) <= set(events.EVENTS.values())


def test_every_command_on_a_tournament_is_decided() -> None:
    known = classes_in(tournament_commands, tournament_commands.TournamentCommand)
    assert set(TOURNAMENT_DECISIONS.functions) == known - set(
        get_args(tournament_commands.NewTournament)
    )


def test_every_event_after_a_tournaments_first_has_an_effect() -> None:
    first = {
        tournament_events.TournamentCreated,
        tournament_events.TournamentSetUp,
        tournament_events.TournamentOnTerms,
        tournament_events.TournamentAtVenue,
    }
    assert set(TOURNAMENT_EFFECTS.functions) == set(tournament_events.EVENTS.values()) - first
    assert classes_in(tournament_events, Event) <= set(tournament_events.EVENTS.values())
