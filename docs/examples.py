"""The examples in the rules, for the site: each as a picture with what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.boards.examples import BLOCK, Example, find_examples, read_example
from service.boards.scene import make_scene
from service.boards.svg import draw_picture

NOT: Final = {"en": "Not", "de": "Nicht"}
"""What stands before an action that is not possible, by the page's language."""


def draw_examples(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the file name and the SVG text of the picture of each example of a page."""
    examples = find_examples(page.read_text(encoding="utf-8"))
    for number, example in enumerate(examples, 1):
        scene = make_scene(example.variant, example.fen)
        yield (
            name_picture(page.stem, number),
            draw_picture(scene, example.below == "second", example.targets),
        )


def name_picture(page: str, number: int) -> str:
    """The file of a page's picture, beside the page.

    >>> name_picture("kerd", 3)
    'kerd-3.svg'
    """
    return f"{page}-{number}.svg"


def show_examples(markdown: str, page: str, language: str = "en") -> str:
    """A page's Markdown with a picture and text where it has an example.

    A translation has the pictures of the English page, which is in the folder above.
    """
    above = "" if language == "en" else "../"
    numbers = iter(range(1, 1 + len(BLOCK.findall(markdown))))
    return BLOCK.sub(
        lambda block: describe_example(
            read_example(block["text"]), above + name_picture(page, next(numbers)), NOT[language]
        ),
        markdown,
    )


def describe_example(example: Example, picture: str, no: str) -> str:
    """An example as Markdown; `no` stands before what is not possible."""
    alt = make_scene(example.variant, example.fen).description
    said = [
        f'![{alt}]({picture}){{ width="380" loading="lazy" }}',
        f"*{example.shows}*",
    ]
    items = [f"- `{' '.join(line.play)}`: {line.said}" for line in example.lines]
    items += [f"- {no} `{one.play}`: {one.because}." for one in example.refused]
    return "\n\n".join([*said, "\n".join(items)])
