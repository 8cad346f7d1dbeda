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
from service.languages.catalogue import SOURCE
from service.pages.piece_pictures import add_pictures, find_pieces, load_drawings

RULINGS: Final = "rulings"
NAMES: Final = (*VARIANTS, RULINGS)
"""The pages: the rules of each game, and the rulings on all of them."""
CHECKOUT: Final = Path(__file__).parents[2] / "docs"
LEVELS: Final = {"h2": 2, "h3": 3}
"""The headings that have an address."""
ADDRESS: Final = re.compile(r" \{#(?P<id>[\w-]+)\}$")
"""How a translated heading states its address, which is that of the English one."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that can be linked to, by its `id`."""

    id: str
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class RulesPage:
    """A page that has been read: `lead` is its first paragraph, `tokens` are all but the title.

    `language` is the one it is written in, which need not be the one requested.
    """

    name: str
    language: str
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
    """An example as shown on a page: `picture` and `board` are addresses, `scene` is its position.

    `lines` come with the address of the position after them; `reasons` say why some actions are not
    legal, by their coordinate form.
    """

    example: Example
    scene: Scene
    picture: str
    board: str
    lines: Sequence[tuple[Line, str]]
    reasons: Mapping[str, str]

    @property
    def points(self) -> tuple[int, int] | None:
        """Both sides' points, if the example is about them."""
        told = any(line.points for line in self.example.lines) or any(self.scene.points or ())
        return self.scene.points if told else None


def read_text(name: str, language: str = SOURCE) -> str:
    """The Markdown of a page: beside the packages in a checkout, inside them when installed.

    Translations are in folders named after their languages. Raises FileNotFoundError if the page
    has none in this language.
    """
    folder = "rules/" if language == SOURCE else f"rules/{language}/"
    place = f"{name}.md" if (name, language) == (RULINGS, SOURCE) else f"{folder}{name}.md"
    for found in (CHECKOUT / place, files("service").joinpath("docs", place)):
        if found.is_file():
            return found.read_text(encoding="utf-8")
    raise FileNotFoundError(place)


@cache
def load_page(name: str, language: str = SOURCE) -> RulesPage:
    """The page with this name, one of `NAMES`, in English if it has no translation."""
    try:
        text = read_text(name, language)
    except FileNotFoundError:
        if language == SOURCE:
            raise
        return load_page(name)
    tokens = READER.parse(text)
    contents = []
    section = ""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            address = _take_address(tokens[at + 1])
            section = _read_plain(tokens[at + 1])
            if token.tag in LEVELS:
                contents.append(Heading(address or _make_id(section), section, LEVELS[token.tag]))
                token.attrSet("id", contents[-1].id)
        elif token.type == "table_open":
            token.meta["name"] = section
    if name in VARIANTS:
        english = tokens if language == SOURCE else READER.parse(read_text(name))
        add_pictures(name, tokens, find_pieces(name, english))
    for token in tokens:
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("href", _move_link(str(inner.attrGet("href"))))
    # A page begins with its title, which is three tokens long.
    title, body = _read_plain(tokens[1]), tokens[3:]
    lead = next(_read_plain(token) for token in body if token.type == "inline")
    return RulesPage(name, language, title, lead, contents, body)


def _take_address(inline: Token) -> str | None:
    """Remove the address from the end of a heading's text, if it states one, and return it."""
    last = (inline.children or [inline])[-1]
    told = ADDRESS.search(last.content)
    if told:
        last.content = last.content[: told.start()]
    return told and told["id"]


def _read_plain(inline: Token) -> str:
    """The text of a heading or paragraph without its markup."""
    breaks = {"softbreak": " "}
    return "".join(breaks.get(one.type, one.content) for one in inline.children or ())


def _make_id(text: str) -> str:
    """The address of a heading within its page, the same as on the documentation's site.

    >>> _make_id("Alka: the clock"), _make_id("What you cannot do")
    ('alka-the-clock', 'what-you-cannot-do')
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def _move_link(href: str) -> str:
    """The address among the pages for a link between files of the documentation.

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
    """A table in a frame in which a wide one can be scrolled, labelled with its section's name."""
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
    """A parser of the documentation's Markdown: standard Markdown and tables, without HTML."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("fence", _render_fence)
    reader.add_render_rule("table_open", _open_table)
    reader.add_render_rule("table_close", _close_table)
    return reader


READER: Final = _make_reader()
