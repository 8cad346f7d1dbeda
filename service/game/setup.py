"""What a game may be set up with, and what may be written beside its actions."""

from __future__ import annotations

from collections.abc import Mapping

from engine.registry import variant as find_variant
from notation.dialect import Dialect
from notation.registry import dialect
from service.errors import BadValue, MissingScope
from service.game.commands import Actor, Annotation, CreateGame
from service.game.importing import first_position
from service.game.values import Mode
from service.scopes import ARBITER

OWN_TAGS = frozenset(
    {"Result", "Variant", "Termination", "SetUp", "FEN", "MovelogGame"}
)
"""Tags whose values follow from the game; nobody may set them."""

MAX_TAGS = 64
MAX_TAG_VALUE = 500
MAX_COMMENT = 4000


def check_setup(command: CreateGame, actor: Actor) -> None:
    """Raise unless this game can be created by this actor.

    Raises UnknownVariant, BadFen, BadValue or MissingScope.
    """
    check_seats(command, actor)
    check_tags(dialect(command.variant), command.tags)
    position = first_position(command.variant, command.fen, command.tags)
    if position.outcome() is not None:
        raise BadValue("fen", "the game is over in this position")


def check_seats(command: CreateGame, actor: Actor) -> None:
    """Raise unless the seats fit the mode and the actor."""
    seats = (command.first, command.second)
    if command.mode == Mode.CHALLENGE:
        if actor.player not in seats:
            raise BadValue("mode", "a challenger takes one of the seats")
    elif None in seats:
        raise BadValue("mode", f"a game in mode {command.mode} needs both players")
    if seats[0] is not None and seats[0] == seats[1]:
        raise BadValue("second", "the sides are two different players")
    if command.mode == Mode.ARBITER and ARBITER not in actor.scopes:
        raise MissingScope(ARBITER)


def check_tags(texts: Dialect, tags: Mapping[str, str]) -> None:
    """Raise BadValue for tags that no record could hold, or that follow from the game."""
    variant = texts.variant
    own = OWN_TAGS | set(variant.sides) | {f"{side}Points" for side in variant.sides}
    if len(tags) > MAX_TAGS:
        raise BadValue("tags", f"at most {MAX_TAGS} tags")
    for name, value in tags.items():
        if not (name.isascii() and name.replace("_", "").isalnum() and len(name) <= 100):
            raise BadValue("tags", f"{name[:100]!r} is no tag name")
        if name in own:
            raise BadValue("tags", f"{name} follows from the game and cannot be set")
        if len(value) > MAX_TAG_VALUE or not value.isprintable():
            raise BadValue("tags", f"{name}: at most {MAX_TAG_VALUE} printable characters")
    check_agreements(tags, draw_by_points=find_variant(variant.name).draw_by_points)


def check_agreements(tags: Mapping[str, str], *, draw_by_points: bool) -> None:
    """Raise BadValue where tags name an agreement the game cannot have."""
    limit = tags.get("PlyLimit")
    # Nine digits hold any game; the bound keeps int() cheap.
    if limit is not None and not (
        limit.isascii() and limit.isdigit() and len(limit) < 10 and int(limit) > 0
    ):
        raise BadValue("tags", "PlyLimit: a whole number from 1")
    agreed = tags.get("DrawByPoints")
    if agreed is not None and agreed not in ("yes", "no"):
        raise BadValue("tags", "DrawByPoints: yes or no")
    if agreed == "yes" and not draw_by_points:
        raise BadValue("tags", "DrawByPoints: not a rule of this game")


def check_annotation(annotation: Annotation) -> None:
    """Raise BadValue for an annotation that no record could hold."""
    for comment in (*annotation.before, *annotation.after):
        if "}" in comment or "{" in comment:
            raise BadValue("comment", "a comment cannot contain { or }")
        if len(comment) > MAX_COMMENT:
            raise BadValue("comment", f"at most {MAX_COMMENT} characters")
        if not comment.strip() or not comment.replace("\n", "").isprintable():
            raise BadValue("comment", "printable text, not blank")
    if any(not 0 <= nag <= 255 for nag in annotation.nags) or len(annotation.nags) > 16:
        raise BadValue("nags", "at most 16 numbers from 0 to 255")
    for name, value in (("clock", annotation.clock), ("elapsed", annotation.elapsed)):
        if value is not None and not 0 <= value < 10**12:
            raise BadValue(name, "milliseconds from 0")
