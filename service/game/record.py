"""A game's state as a PGN-like record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from engine.registry import variant as find_variant
from notation.commands import Command, join_comment, write_time
from notation.game import UNFINISHED, UNKNOWN, Game, Move
from notation.registry import dialect
from notation.writer import write
from service.game.begin import initial
from service.game.importing import GAME_TAG, RULES_TAG
from service.game.redaction import STRANGER, Viewer, hidden, mask
from service.game.state import GameState
from service.game.values import Mode, Played, Status


def record_text(state: GameState, names: Mapping[str, str], viewer: Viewer = STRANGER) -> str:
    """The canonical text of the game's record; `names` are the players' by id."""
    return write(record(state, names, viewer))


def record(state: GameState, names: Mapping[str, str], viewer: Viewer = STRANGER) -> Game:
    """The game as a record: the tags it was given and those that follow from it."""
    result = state.ending.result if state.ending else UNFINISHED
    moves = tuple(move(played) for played in state.played)
    return Game(state.variant, tags(state, names, result, viewer), moves, result, state.comments)


def initial_fen(state: GameState, viewer: Viewer) -> str | None:
    """The FEN of the first position where it is not the variant's own, as the viewer knows it."""
    if state.fen is None or not state.choosers:
        return state.fen
    return dialect(state.variant).write_fen(mask(state, initial(state), viewer))


def choice_tags(state: GameState, viewer: Viewer) -> dict[str, str]:
    """The tags of the secret choices, as far as the viewer may know them."""
    sealing = dialect(state.variant).sealing
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


def tags(state: GameState, names: Mapping[str, str], result: str, viewer: Viewer) -> dict[str, str]:
    """The tags of a game's record; the writer puts them in order."""
    variant = find_variant(state.variant)
    closing = {"Termination", *(f"{side}Points" for side in variant.sides)}
    kept = {k: v for k, v in state.tags.items() if state.ending is not None or k not in closing}
    given = {"Date": day(state.created_at), **kept}
    found = told(state.variant, state.id, state.rules, state.seats, names, result, given)
    if state.ending is not None and state.ending.termination is not None:
        found["Termination"] = state.ending.termination
    fen = initial_fen(state, viewer)
    if fen is not None and "FEN" not in found:
        found |= {"SetUp": "1", "FEN": fen}
    found |= choice_tags(state, viewer)
    points = state.position.points()
    # An imported record states its points or leaves them out, as it was written.
    if points is not None and state.status is Status.FINISHED and state.mode is not Mode.IMPORT:
        found |= {f"{s}Points": str(p) for s, p in zip(variant.sides, points, strict=True)}
    return found


def told(
    variant: str,
    id: str,
    rules: str,
    seats: Sequence[str | None],
    names: Mapping[str, str],
    result: str,
    given: Mapping[str, str],
) -> dict[str, str]:
    """The tags given with those that every game has."""
    found = dict(given)
    for title, player in zip(find_variant(variant).sides, seats, strict=True):
        found[title] = names.get(player, UNKNOWN) if player else UNKNOWN
    found |= {"Result": result, "Variant": variant, GAME_TAG: id}
    # An imported record may say itself what it was played under.
    found.setdefault(RULES_TAG, rules)
    return found


def day(at: int) -> str:
    """The date of a time in milliseconds since 1970, as records write it."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y.%m.%d")


def move(played: Played) -> Move:
    """One action with its annotation; clocks become commands of a comment behind it."""
    note = played.annotation
    clocks = [
        Command(name, write_time(value))
        for name, value in (("clk", note.clock), ("emt", note.elapsed))
        if value is not None
    ]
    after = (join_comment(clocks), *note.after) if clocks else note.after
    return Move(played.action, note.nags, note.before, after, played.variations)
