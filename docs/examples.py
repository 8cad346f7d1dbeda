"""The examples in the rules, for the site: each as a picture with what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from service.boards.examples import BLOCK, Example, find_examples, read_example
from service.boards.scene import make_scene
from service.boards.svg import draw_picture


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


def show_examples(markdown: str, page: str) -> str:
    """A page's Markdown with a picture and text where it has an example."""
    numbers = iter(range(1, 1 + len(BLOCK.findall(markdown))))
    return BLOCK.sub(
        lambda block: describe_example(read_example(block["text"]), page, next(numbers)), markdown
    )


def describe_example(example: Example, page: str, number: int) -> str:
    """An example as Markdown."""
    alt = make_scene(example.variant, example.fen).description
    said = [
        f'![{alt}]({name_picture(page, number)}){{ width="380" loading="lazy" }}',
        f"*{example.shows}*",
    ]
    items = [f"- `{' '.join(line.play)}`: {line.said}" for line in example.lines]
    items += [f"- Not `{one.play}`: {one.because}." for one in example.refused]
    return "\n\n".join([*said, "\n".join(items)])
