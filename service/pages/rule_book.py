"""The rules of the games as pages: `docs/rules/` and the rulings, read, parsed and rendered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlencode

from flask import render_template
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from engine.registry import VARIANTS
from service.boards.examples import INFO, Example, Line, find_reasons, play_line, read_example
from service.boards.scene import Scene, make_scene
from service.pages.piece_pictures import add_pictures, load_drawings

RULINGS: Final = "rulings"
NAMES: Final = (*VARIANTS, RULINGS)
"""The pages there are: the rules of each game, and the rulings on all."""
CHECKOUT: Final = Path(__file__).parents[2] / "docs"
LEVELS: Final = {"h2": 2, "h3": 3}
"""The headings that have an address."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that can be linked to, by its `id`."""

    id: str
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class RulesPage:
    """A page that has been read: `lead` is its first paragraph, `tokens` are all but the title."""

    name: str
    title: str
    lead: str
    contents: Sequence[Heading]
    tokens: Sequence[Token]

    def render(self) -> Markup:
        """The page's body as HTML."""
        # Markdown's own HTML is off, so all tags are the renderer's and the templates'.
        drawings = load_drawings(self.name) if self.name in VARIANTS else ""
        return Markup(drawings + READER.renderer.render(self.tokens, READER.options, {}))


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example as a page shows it: `picture` and `board` are addresses, `scene` is its position.

    `lines` come with the address of the position behind them, `reasons` why some actions are
    none, by their coordinate form.
    """

    example: Example
    scene: Scene
    picture: str
    board: str
    lines: Sequence[tuple[Line, str]]
    reasons: Mapping[str, str]

    @property
    def points(self) -> tuple[int, int] | None:
        """Both sides' points, where the example is about them."""
        told = any(line.points for line in self.example.lines) or any(self.scene.points or ())
        return self.scene.points if told else None


def read_text(name: str) -> str:
    """The Markdown of a page: beside the packages in a checkout, inside them when installed."""
    place = f"{name}.md" if name == RULINGS else f"rules/{name}.md"
    checkout = CHECKOUT / place
    if checkout.exists():
        return checkout.read_text(encoding="utf-8")
    return files("service").joinpath("docs", place).read_text(encoding="utf-8")


@cache
def load_page(name: str) -> RulesPage:
    """The page of this name, one of `NAMES`."""
    tokens = READER.parse(read_text(name))
    contents = []
    section = ""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            section = _read_plain(tokens[at + 1])
            if token.tag in LEVELS:
                contents.append(Heading(_make_id(section), section, LEVELS[token.tag]))
                token.attrSet("id", contents[-1].id)
        elif token.type == "table_open":
            token.meta["name"] = section
    if name in VARIANTS:
        add_pictures(name, tokens)
    for token in tokens:
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("href", _move_link(str(inner.attrGet("href"))))
    # A page begins with its title, which is three tokens long.
    title, body = _read_plain(tokens[1]), tokens[3:]
    lead = next(_read_plain(token) for token in body if token.type == "inline")
    return RulesPage(name, title, lead, contents, body)


def _read_plain(inline: Token) -> str:
    """The text of a heading or paragraph without its marks."""
    breaks = {"softbreak": " "}
    return "".join(breaks.get(one.type, one.content) for one in inline.children or ())


def _make_id(text: str) -> str:
    """The address of a heading within its page, as the documentation's site makes it.

    >>> _make_id("Alka: the clock"), _make_id("What you cannot do")
    ('alka-the-clock', 'what-you-cannot-do')
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def _move_link(href: str) -> str:
    """Where a link between files of the documentation leads among the pages.

    >>> _move_link("../rulings.md"), _move_link("kerd.md#the-start"), _move_link("#pawn")
    ('/rules/rulings', '/rules/kerd#the-start', '#pawn')
    """
    path, mark, fragment = href.partition("#")
    if not path.endswith(".md"):
        return href
    return f"/rules/{PurePosixPath(path).stem}{mark}{fragment}"


@cache
def view_example(text: str) -> ExampleView:
    """The example of a block, ready to be shown."""
    example = read_example(text)
    asked = {"variant": example.variant, "fen": example.fen, "below": example.below}
    targets = {"targets": ",".join(example.targets)} if example.targets else {}
    return ExampleView(
        example=example,
        scene=make_scene(example.variant, example.fen),
        picture=f"/api/v1/board.svg?{urlencode(asked | targets)}",
        board=f"/analysis?{urlencode(asked)}",
        lines=[
            (line, f"/analysis?{urlencode(asked | {'fen': play_line(example, line)})}")
            for line in example.lines
        ],
        reasons=find_reasons(example),
    )


def _render_fence(
    self: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: Mapping[str, Any],
) -> str:
    """An example with its board, or a drawing in letters."""
    token = tokens[at]
    if token.info == INFO:
        return render_template("parts/example.html", view=view_example(token.content))
    return render_template("parts/plain_drawing.html", text=token.content)


def _open_table(
    self: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: Mapping[str, Any],
) -> str:
    """A table, in a frame in which a wide one can be moved, by the name of its section."""
    return render_template("parts/table_open.html", name=tokens[at].meta["name"])


def _close_table(
    self: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: Mapping[str, Any],
    env: Mapping[str, Any],
) -> str:
    return "</table></div>\n"


def _make_reader() -> MarkdownIt:
    """A reader of the documentation's Markdown: the standard's and tables, without HTML."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("fence", _render_fence)
    reader.add_render_rule("table_open", _open_table)
    reader.add_render_rule("table_close", _close_table)
    return reader


READER: Final = _make_reader()
