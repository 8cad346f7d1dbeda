"""How many bytes annotations take: the texts of their comments and variations, in UTF-8.

In a log, each annotation's event takes some more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from notation.game import Line
from service.game import events
from service.game.values import Played
from service.log.values import Event

EVENT: Final = 200
"""About how many bytes an annotation's event takes beside its texts, with its glyphs."""


def measure_texts(texts: Iterable[str]) -> int:
    """How many bytes texts take."""
    return sum(len(text.encode(errors="replace")) for text in texts)


def measure_event(event: Event) -> int:
    """How many bytes of annotations an event adds to the log, apart from an imported record.

    An annotation that is empty adds none, so that what was added can always be removed.
    """
    match event:
        case events.ActionAnnotated():
            variations = getattr(event, "variations", ())
            texts = (*event.before, *event.after, *variations)
            return EVENT + measure_texts(texts) if texts or event.nags else 0
        case events.ActionEvent():
            return measure_texts((*event.before, *event.after))
        case _:
            return 0


def measure_actions(played: Iterable[Played]) -> int:
    """About how many bytes the annotations of these actions take in a record."""
    return sum(
        measure_texts((*one.annotation.before, *one.annotation.after))
        + sum(map(_measure_variation, one.variations))
        for one in played
    )


def _measure_variation(variation: Line | str) -> int:
    if isinstance(variation, str):
        return measure_texts([variation])
    return sum(
        len("99... Bxl12=Q+ ")
        + measure_texts((*move.before, *move.after))
        + sum(map(_measure_variation, move.variations))
        for move in variation
    )
