"""What is analysed, and for whom: the positions as a viewer may know them, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from engine.position import Position
from engine.registry import find_variant
from engine.side import Side
from notation.registry import find_dialect
from service.analysis.events import AnalysisBegun
from service.analysis.parameters import Parameters, apply_default
from service.errors import BadValue
from service.game.begin import find_initial_position
from service.game.endings import agreement
from service.game.evolve import at_ply
from service.game.permissions import is_played_on
from service.game.redaction import STRANGER, Viewer, mask
from service.game.state import GameState


class AnalysisView(StrEnum):
    """How much of the secret choices an analysis knows."""

    FULL = "full"
    """Everything: there are no secret choices, or they are public."""
    FIRST = "first"
    """What the first side knows: its own choice."""
    SECOND = "second"
    """What the second side knows: its own choice."""
    BOTH = "both"
    """What the scribe of a game knows: both choices."""
    STRANGER = "stranger"
    """Neither choice."""
    GIVEN = "given"
    """What the position string says, whether or not it is true."""


SIDES: Final[dict[AnalysisView, Viewer]] = {
    AnalysisView.FULL: STRANGER,
    AnalysisView.BOTH: frozenset(Side),
    AnalysisView.FIRST: frozenset({Side.FIRST}),
    AnalysisView.SECOND: frozenset({Side.SECOND}),
    AnalysisView.STRANGER: STRANGER,
}
"""The sides that one must act for to have each view of a game.

The set is empty if everybody may have the view. The view that reveals most comes first.
"""


def view_of(state: GameState, viewer: Viewer) -> AnalysisView:
    """The view with the most that a viewer, who acts for these sides of a game, may know."""
    known = frozenset(state.choosers) & (viewer | state.disclosed)
    if state.disclosed.issuperset(state.choosers):
        return AnalysisView.FULL
    views = (AnalysisView.BOTH, AnalysisView.FIRST, AnalysisView.SECOND, AnalysisView.STRANGER)
    return next(view for view in views if SIDES[view] == known)


def may_have(view: AnalysisView, state: GameState, viewer: Viewer) -> bool:
    """Whether a viewer, who acts for these sides, may know what such a view of the game reveals."""
    return SIDES[view] <= viewer | state.disclosed


def list_views(state: GameState, viewer: Viewer) -> list[AnalysisView]:
    """The views of a game that a viewer may have, the one that reveals most first.

    A player of the game has none until it is over.
    """
    if viewer and is_played_on(state):
        return []
    return [view for view in SIDES if may_have(view, state, viewer)]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an analysis: its first event, and what distinguishes it from other analyses.

    Two subjects are the same if `content` and `whose` are. A subject that names a secret choice is
    not for everybody: then `whose` names the game and side, or the player, who may request it.
    """

    begun: AnalysisBegun
    content: tuple[str, ...]
    whose: tuple[str, ...] = ()


def make_position_subject(
    variant: str, fen: str, parameters: Parameters, build: str, player: str
) -> Subject:
    """A position given by a player; raises BadValue, BadFen and UnknownVariant."""
    texts = find_dialect(variant)
    check_agreement(variant, parameters)
    position = texts.read_fen(fen)
    sealing = texts.sealing
    secret = sealing is not None and sealing.names_a_choice(position)
    fen = texts.write_fen(position)
    begun = _make_event(
        variant, AnalysisView.GIVEN if sealing else AnalysisView.FULL, build, parameters, fen=fen
    )
    if not secret:
        return Subject(begun, (fen,))
    # To be told that a position with this choice was analysed would be to know the choice.
    hidden = _make_event(variant, AnalysisView.GIVEN, build, parameters, secret_fen=fen)
    return Subject(hidden, (fen,), ("player", player))


def make_ply_subject(
    state: GameState, ply: int, viewer: Viewer, parameters: Parameters, build: str
) -> Subject:
    """A game after `ply` actions; raises BadValue."""
    parameters = apply_agreement(state, parameters)
    try:
        position = at_ply(state, ply).position
    except ValueError as error:
        raise BadValue("ply", str(error)) from error
    view = view_of(state, viewer)
    fen = find_dialect(state.variant).write_fen(mask(state, position, viewer))
    if _is_secret(view):
        begun = _make_event(
            state.variant, view, build, parameters, game=state.id, version=state.version, ply=ply
        )
        return Subject(begun, (fen,), ("game", state.id, view))
    return Subject(_make_event(state.variant, view, build, parameters, fen=fen), (fen,))


def make_game_subject(
    state: GameState, viewer: Viewer, parameters: Parameters, build: str
) -> Subject:
    """All positions of a game, from the first to the last."""
    parameters = apply_agreement(state, parameters)
    view = view_of(state, viewer)
    first = find_dialect(state.variant).write_fen(mask(state, find_initial_position(state), viewer))
    actions = " ".join(played.coordinate for played in state.played)
    begun = _make_event(
        state.variant,
        view,
        build,
        parameters,
        positions=len(state.played) + 1,
        game=state.id,
        version=state.version,
    )
    whose = ("game", state.id, view) if _is_secret(view) else ()
    return Subject(begun, (first, actions), whose)


def check_agreement(variant: str, parameters: Parameters) -> None:
    """Raise BadValue for an agreement that the players of a game cannot make; UnknownVariant."""
    if parameters.draw_by_points and not find_variant(variant).draw_by_points:
        raise BadValue("draw_by_points", "not a rule of this game")


def apply_agreement(state: GameState, parameters: Parameters) -> Parameters:
    """The parameters, with the agreement of the game's players about draws."""
    return replace(parameters, draw_by_points=agreement(state).draw_by_points)


def _make_event(
    variant: str, view: AnalysisView, build: str, parameters: Parameters, **told: str | int | None
) -> AnalysisBegun:
    whole = "game" in told and "ply" not in told
    return AnalysisBegun(
        variant=variant,
        rules=find_variant(variant).rules,
        view=view,
        build=build,
        parameters=apply_default(parameters, whole_game=whole).to_json(),
        **told,  # type: ignore[arg-type]
    )


def _is_secret(view: AnalysisView) -> bool:
    return bool(SIDES[view])


def is_secret(begun: AnalysisBegun) -> bool:
    """Whether the findings must not be shown to everybody."""
    given = begun.view == AnalysisView.GIVEN
    return begun.fen is None and (given or _is_secret(AnalysisView(begun.view)))


@dataclass(frozen=True, slots=True)
class SearchedPosition:
    """A position to be searched, and the action that was played in it, if any."""

    position: Position
    played: str | None


def iterate_positions(
    begun: AnalysisBegun, state: GameState | None, skip: int
) -> Iterator[SearchedPosition]:
    """The positions to analyse except the first `skip`, as their view shows them.

    `state` is the analysed game at the analysed version, or None if there is no game.
    """
    if state is None:
        fen = begun.fen or begun.secret_fen
        if fen is None:
            raise BadValue("fen", "is not known any more")
        yield from [SearchedPosition(find_dialect(begun.variant).read_fen(fen), None)][skip:]
        return
    viewer = SIDES[AnalysisView(begun.view)]
    if begun.ply is not None:
        position = at_ply(state, begun.ply).position
        yield from [SearchedPosition(mask(state, position, viewer), None)][skip:]
        return
    position = find_initial_position(state)
    for ply, played in enumerate(state.played):
        if ply >= skip:
            yield SearchedPosition(mask(state, position, viewer), played.coordinate)
        position.play(played.action)
    if skip <= len(state.played):
        yield SearchedPosition(mask(state, position, viewer), None)


def renew_subject(
    begun: AnalysisBegun, state: GameState | None, build: str, player: str
) -> Subject:
    """The same subject for another build of the engine; `state` is as for `iterate_positions`.

    `player` is the one who first requested it. Raises BadFen if the position is no longer valid.
    """
    parameters = Parameters.from_json(begun.parameters)
    if state is not None:
        viewer = SIDES[AnalysisView(begun.view)]
        if begun.ply is None:
            return make_game_subject(state, viewer, parameters, build)
        return make_ply_subject(state, begun.ply, viewer, parameters, build)
    fen = begun.fen or begun.secret_fen
    if fen is None:
        raise BadValue("fen", "is not known any more")
    if begun.view == AnalysisView.GIVEN:
        return make_position_subject(begun.variant, fen, parameters, build, player)
    return Subject(
        _make_event(begun.variant, AnalysisView(begun.view), build, parameters, fen=fen), (fen,)
    )
