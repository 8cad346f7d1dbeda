"""Checks of a game's setup."""

from __future__ import annotations

from collections.abc import Mapping

from engine.phrase import phrase
from engine.position import Position
from engine.registry import find_variant
from engine.side import Side
from notation.agreement import Agreement
from notation.annotation import check_tag
from notation.dialect import Dialect
from notation.registry import find_dialect
from notation.time_control import TimeControl, check_playable, parse_time_control
from service.errors import BadValue
from service.game.commands import CreateGame
from service.game.importing import SERVICE_TAGS, first_position
from service.game.permissions import require_pairer, require_scope
from service.game.terms import check_terms, make_term_tags
from service.game.values import SECRET_CHOICE, Mode, Secrecy
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY

OWN_TAGS = frozenset({"Result", "Variant", "Termination", "SetUp", "FEN"}) | SERVICE_TAGS
"""Tags whose values follow from the game, so that nobody may set them."""

MAX_TAGS = 64
MAX_TAG_VALUE = 500
MAX_REASON = 1000


def check_setup(command: CreateGame, actor: Actor) -> None:
    """Raise unless this game can be created by this actor.

    Raises UnknownVariant, BadFen, BadValue, ContradictoryTerms, BadTimeControl,
    UnplayableTimeControl or MissingScope.
    """
    check_seats(command, actor)
    check_tags(find_dialect(command.variant), command.tags)
    control = find_time_control(command)
    if control is not None:
        check_playable(control)
    check_terms(command)
    tags = {**command.tags, **secrecy_tags(command), **make_term_tags(command)}
    Agreement.from_tags(find_variant(command.variant), tags)
    position = first_position(command.variant, command.fen, tags)
    if position.outcome() is not None:
        raise BadValue("fen", "the game is over in this position")
    check_secrecy(command, position)


def find_time_control(command: CreateGame) -> TimeControl | None:
    """The time control of a new game, None for a game without clocks; raises BadTimeControl."""
    return None if command.time_control is None else parse_time_control(command.time_control)


def check_secrecy(command: CreateGame, position: Position) -> None:
    """Raise BadValue for secret choices in a game without any, or if the FEN reveals them."""
    sealing = find_dialect(command.variant).sealing
    if sealing is None:
        if command.secret_choice is not None:
            raise BadValue(SECRET_CHOICE, "this game has no secret choices")
        return
    if secrecy(command) not in set(Secrecy):
        raise BadValue(SECRET_CHOICE, phrase("one of {secrecy}", secrecy=", ".join(Secrecy)))
    if sealing.names_a_choice(position):
        raise BadValue("fen", "names a hidden choice: write ? instead, and let that side choose")
    if command.secret_choice == Secrecy.NONE and sealing.open_sides(position):
        raise BadValue(SECRET_CHOICE, "the FEN leaves choices open: write - instead of ?")


def secrecy(command: CreateGame) -> str | None:
    """How the game handles secret choices: as requested, else sealed if the variant has any."""
    if command.secret_choice is None and find_dialect(command.variant).sealing is not None:
        return Secrecy.SEALED
    return command.secret_choice


def secrecy_tags(command: CreateGame) -> Mapping[str, str]:
    """The tags that state this from the start of the game, unless a FEN already states it."""
    sealing = find_dialect(command.variant).sealing
    told = {Secrecy.UNKNOWN.value: "?", Secrecy.NONE.value: "-"}.get(command.secret_choice or "")
    if sealing is None or told is None or command.fen is not None:
        return {}
    return {k: v for side in Side for k, v in sealing.tags(side, told, None, None).items()}


def check_seats(command: CreateGame, actor: Actor) -> None:
    """Raise unless the seats fit the mode and the actor."""
    if command.mode not in (Mode.CHALLENGE, Mode.SCRIBE, Mode.ARBITER, Mode.TOURNAMENT):
        raise BadValue("mode", "challenge, scribe or arbiter")
    if command.mode == Mode.TOURNAMENT:
        require_pairer(actor)
    else:
        require_scope(actor, ARBITER if command.mode == Mode.ARBITER else PLAY)
    seats = (command.first, command.second)
    if command.mode == Mode.CHALLENGE:
        if actor.player not in seats:
            raise BadValue("mode", "a challenger must take one of the sides")
    elif None in seats:
        raise BadValue(
            "mode", phrase("a game in mode {mode} needs both players", mode=command.mode)
        )
    if seats[0] is not None and seats[0] == seats[1]:
        raise BadValue("second", "one player cannot have both sides")


def check_tags(texts: Dialect, tags: Mapping[str, str]) -> None:
    """Raise BadValue or BadAnnotation for tags that no record, or not this game's, can hold."""
    variant = texts.variant
    own = OWN_TAGS | set(variant.sides) | {f"{side}Points" for side in variant.sides}
    if texts.sealing is not None:
        own |= {tag for side in Side for tag in texts.sealing.tags(side, "", "", "")}
    if len(tags) > MAX_TAGS:
        raise BadValue("tags", phrase("at most {max_tags} tags", max_tags=MAX_TAGS))
    for name, value in tags.items():
        check_tag(name, value)
        if name in own:
            raise BadValue(
                "tags", phrase("{name} follows from the game and cannot be set", name=name)
            )
        if len(value) > MAX_TAG_VALUE:
            raise BadValue(
                "tags",
                phrase(
                    "{name}: at most {max_tag_value} characters",
                    name=name,
                    max_tag_value=MAX_TAG_VALUE,
                ),
            )
    by_points = tags.get("DrawByPoints", "no")
    if by_points not in ("yes", "no"):
        raise BadValue("tags", "DrawByPoints: yes or no")
    if by_points == "yes" and not variant.draw_by_points:
        raise BadValue("tags", "DrawByPoints: not a rule of this game; leave the tag out")
    Agreement.from_tags(variant, tags)


def check_reason(reason: str) -> None:
    """Raise BadValue for a reason that is empty, too long, or not text."""
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadValue("reason", phrase("1 to {max_reason} characters", max_reason=MAX_REASON))
    if any(char < " " or "\ud800" <= char <= "\udfff" for char in reason):
        raise BadValue("reason", "one line of text")
