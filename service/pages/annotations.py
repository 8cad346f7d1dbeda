"""Annotations on a game's page: shown under its actions, and the form that writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from flask import request
from markupsafe import Markup, escape

from engine.side import Side
from notation.lexer import TokenKind, split_tokens
from notation.record import SUFFIXES
from service.game.permissions import (
    belongs_to_annotators,
    is_played_on,
    may_act_for,
    may_comment_now,
    owns,
)
from service.game.values import GameStatus, Mode
from service.pages.api_client import get_actor
from service.pages.forms import read_number
from service.pages.site import pages

SIDES: Final = ("first", "second")
SIGNS: Final = {nag: sign for sign, nag in SUFFIXES.items()}
"""The traditional signs of glyphs."""
FIELDS: Final = ("comments_before", "comments", "nags", "variations")
_SPACE_BEFORE: Final = re.compile(r" (?=\))|(?<=\() ")


@dataclass(frozen=True, slots=True)
class ShownGame:
    """The people involved in a game, according to the API."""

    mode: Mode
    creator: str
    seats: tuple[str | None, str | None]
    status: GameStatus
    annotators: tuple[str, ...]


def read_people(game: Mapping[str, Any]) -> ShownGame:
    """The people involved in a game from the API."""
    first, second = (game["players"][side]["id"] for side in SIDES)
    return ShownGame(
        Mode(game["mode"]),
        game["creator"],
        (first, second),
        GameStatus(game["status"]),
        tuple(one["id"] for one in game["annotators"]),
    )


def find_form(game: Mapping[str, Any], ply: int) -> dict[str, Any] | None:
    """What the reader may write beside the action at `ply`: the fields' texts, None for nothing.

    `variations` is missing if none may be written.
    """
    actor = get_actor()
    if actor is None or not 1 <= ply <= len(game["actions"]):
        return None
    action, people = game["actions"][ply - 1], read_people(game)
    own = may_act_for(people, actor, Side(SIDES.index(action["side"])))
    if not (belongs_to_annotators(people, actor, own) and may_comment_now(people, actor, own)):
        return None
    fields = {name: "\n".join(action.get(name, ())) for name in ("comments_before", "comments")}
    fields["nags"] = " ".join(map(format_glyph, action.get("nags", ())))
    if not is_played_on(people):
        fields["variations"] = "\n".join(action.get("variations", ()))
    if request.method == "POST" and request.form.get("ply") == str(ply):
        # So that what was refused can be corrected.
        fields |= {name: request.form[name] for name in fields if name in request.form}
    return {"ply": ply, "action": action, "fields": fields}


def may_admit(game: Mapping[str, Any]) -> bool:
    """Whether the reader may say who annotates the game."""
    actor = get_actor()
    accepted = game["status"] in (GameStatus.CHOOSING, GameStatus.RUNNING, GameStatus.FINISHED)
    return actor is not None and accepted and owns(read_people(game), actor)


def read_annotation() -> dict[str, Any]:
    """The command described by the form's fields."""
    written = {
        name: [line.strip() for line in request.form[name].splitlines() if line.strip()]
        for name in FIELDS
        if name in request.form
    }
    signs = " ".join(written.get("nags", ())).replace(",", " ").split()
    return {
        "type": "annotate",
        "ply": read_number(request.form.get("ply", "")),
        "variations": written.pop("variations", None),
        "annotation": written | {"nags": [parse_glyph(sign) for sign in signs]},
    }


def parse_glyph(sign: str) -> int | str:
    """The number of a glyph written as a sign or as `$n`; other text is left for the API to refuse.

    >>> parse_glyph("?!"), parse_glyph("$14"), parse_glyph("good")
    (6, 14, 'good')
    """
    return SUFFIXES.get(sign, read_number(sign.removeprefix("$")))


@pages.app_template_filter("glyph")
def format_glyph(nag: int) -> str:
    """A glyph's sign, or its number.

    >>> format_glyph(4), format_glyph(14)
    ('??', '$14')
    """
    return SIGNS.get(nag, f"${nag}")


def link_line(said: str, game: str, ply: int, line: Sequence[str]) -> Markup:
    """An action of a line that replaces a game's action at `ply`, as a link to that line."""
    asked = urlencode({"game": game, "ply": ply - 1, "line": " ".join(line)})
    return Markup('<a class="step" href="/analysis?{}">{}</a>').format(asked, said)


@pages.app_template_filter("movetext")
def format_variation(text: str, game: str | None = None, ply: int = 1) -> Markup:
    """A variation's movetext for people: glyphs as signs, comments set apart.

    With the id of a game in which the variation replaces the action at `ply`, each of its actions
    is a link to the analysis board with the line up to that action.

    >>> format_variation("1. Pd2 $1 {so} (1. Pc4) 1... Sa8")
    Markup('1. Pd2! <span class="comment">so</span> (1. Pc4) 1... Sa8')
    """
    words: list[Markup] = []
    line: list[str] = []
    outer: list[list[str]] = []
    for token in split_tokens(text):
        kind, said = token.lastgroup, token[0].strip()
        if kind == TokenKind.OPEN:
            outer.append(line)
            line = line[:-1]
            words.append(Markup(' <span class="variation">(') if game else Markup(" ("))
        elif kind == TokenKind.CLOSE:
            line = outer.pop()
            words.append(Markup(" )</span>") if game else Markup(" )"))
        elif kind == TokenKind.SYMBOL:
            line = [*line, token[TokenKind.SYMBOL]]
            words.append(Markup(" ") + (link_line(said, game, ply, line) if game else escape(said)))
        elif kind == TokenKind.COMMENT:
            words.append(Markup(' <span class="comment">{}</span>').format(said[1:-1]))
        elif kind == TokenKind.GLYPH:
            sign = format_glyph(int(said[1:]))
            words.append(escape(sign if not sign.startswith("$") else f" {sign}"))
        else:
            words.append(Markup(" ") + escape(said))
    return Markup(_SPACE_BEFORE.sub("", Markup("").join(words).strip()))
