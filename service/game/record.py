"""A game's state as a PGN-like record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from engine.registry import find_variant
from notation.embedded_commands import EmbeddedCommand, join_comment, write_time
from notation.game import UNFINISHED, UNKNOWN, Game, Move
from notation.registry import find_dialect
from notation.writer import write
from service.game.begin import find_initial_position
from service.game.importing import GAME_TAG, RULES_TAG
from service.game.redaction import STRANGER, Viewer, hidden, mask
from service.game.state import GameState
from service.game.values import GameStatus, Mode, Played
from service.game.variations import list_lines, read_variations


def write_record(state: GameState, names: Mapping[str, str], viewer: Viewer = STRANGER) -> str:
    """Write the canonical text of the game's record; `names` are the players' by id."""
    return write(make_record(state, names, viewer))


def make_record(state: GameState, names: Mapping[str, str], viewer: Viewer = STRANGER) -> Game:
    """Make a game's record: the tags it was given, those that follow from it, and its moves."""
    result = state.ending.result if state.ending else UNFINISHED
    moves = tuple(make_move(played) for played in read_variations(state).played)
    return Game(
        state.variant, make_tags(state, names, result, viewer), moves, result, state.comments
    )


def find_initial_fen(state: GameState, viewer: Viewer) -> str | None:
    """The FEN of the first position as the viewer knows it; None for the variant's own."""
    if state.fen is None or not state.choosers:
        return state.fen
    return find_dialect(state.variant).write_fen(mask(state, find_initial_position(state), viewer))


def make_choice_tags(state: GameState, viewer: Viewer) -> dict[str, str]:
    """Make the tags of the secret choices, as far as the viewer may know them."""
    sealing = find_dialect(state.variant).sealing
    unknown = hidden(state, viewer)
    found: dict[str, str] = {}
    for side in state.choosers:
        choice = state.choices[side]
        if sealing is None or choice is None:
            continue
        known = side not in unknown
        found |= sealing.tags(
            side,
            choice.choice or "?" if known else "?",
            choice.commitment,
            choice.nonce if known else None,
        )
    return found


def make_tags(
    state: GameState, names: Mapping[str, str], result: str, viewer: Viewer
) -> dict[str, str]:
    """Make the tags of a game's record, in any order; the writer sorts them."""
    variant = find_variant(state.variant)
    closing = {"Termination", *(f"{side}Points" for side in variant.sides)}
    kept = {k: v for k, v in state.tags.items() if state.ending is not None or k not in closing}
    given = {"Date": format_date(state.created_at), **kept}
    found = add_game_tags(state.variant, state.id, state.rules, state.seats, names, result, given)
    if state.ending is not None and state.ending.termination is not None:
        found["Termination"] = state.ending.termination
    fen = find_initial_fen(state, viewer)
    if fen is not None and "FEN" not in found:
        found |= {"SetUp": "1", "FEN": fen}
    found |= make_choice_tags(state, viewer)
    points = state.position.points()
    # An imported record states its points or leaves them out, as in the original.
    if points is not None and state.status is GameStatus.FINISHED and state.mode is not Mode.IMPORT:
        found |= {f"{s}Points": str(p) for s, p in zip(variant.sides, points, strict=True)}
    return found


def add_game_tags(
    variant: str,
    id: str,
    rules: str,
    seats: Sequence[str | None],
    names: Mapping[str, str],
    result: str,
    given: Mapping[str, str],
) -> dict[str, str]:
    """Add to the given tags those that every record has."""
    found = dict(given)
    for title, player in zip(find_variant(variant).sides, seats, strict=True):
        found[title] = names.get(player, UNKNOWN) if player else UNKNOWN
    found |= {"Result": result, "Variant": variant, GAME_TAG: id}
    # An imported record may itself say which rules it was played under.
    found.setdefault(RULES_TAG, rules)
    return found


def format_date(at: int) -> str:
    """Format a time in milliseconds since 1970 as a record's date."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y.%m.%d")


def make_move(played: Played) -> Move:
    """Make a record's move from an action; clocks become commands in a comment after it."""
    note = played.annotation
    clocks = [
        EmbeddedCommand(name, write_time(value))
        for name, value in (("clk", note.clock), ("emt", note.elapsed))
        if value is not None
    ]
    after = (join_comment(clocks), *note.after) if clocks else note.after
    return Move(played.action, note.nags, note.before, after, list_lines(played))
