"""Players given by name in a request, and those who are to annotate a game."""

from __future__ import annotations

from dataclasses import replace

from engine.phrase import phrase
from service.api.context import get_service
from service.computer.levels import PLAYER_OF
from service.errors import BadValue
from service.game.commands import AdmitAnnotator, AnnotatorCommand
from service.game.creation_request import require_registered


def find_player(field: str, id: str | None, name: str) -> str:
    """The id of the registered player with this name, sent in `<field>_name`.

    Raises AmbiguousName; raises BadValue if nobody has this name, or an id was sent as well.
    """
    if id is not None:
        raise BadValue(
            f"{field}_name",
            phrase("either this or {field}, an id", field=field),
        )
    if name in PLAYER_OF:
        # Nobody else has such a name, so no list need be up to date.
        return PLAYER_OF[name]
    found = get_service().player_list.find_registered(get_service().players.names, name)
    if found is None:
        raise BadValue(f"{field}_name", "no registered player has this name")
    return found


def find_annotator(command: AnnotatorCommand) -> AnnotatorCommand:
    """The command with the player's id; raises AmbiguousName or BadValue."""
    if command.name is not None:
        return replace(
            command, player=find_player("player", command.player, command.name), name=None
        )
    if isinstance(command, AdmitAnnotator) and command.player is not None:
        require_registered(get_service().players, "player", command.player)
    return command
