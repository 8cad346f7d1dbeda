"""Single words of the API and of tables, as shown by pages in the reader's language."""

from __future__ import annotations

from typing import Final

from engine.outcome import Termination
from engine.registry import VARIANTS, find_variant
from engine.side import Side
from service.boards.registry import find_board
from service.languages.formats import format_number
from service.languages.sentences import say_sentence
from service.languages.texts import gettext, mark
from service.pages.browser import ON
from service.pages.site import pages

KILOBYTE: Final = 1000
MEGABYTE: Final = 1_000_000
WORDS: Final = (
    # sides
    *(mark("White"), mark("Black"), mark("Red"), mark("Blue"), mark("South"), mark("North")),
    *(mark("first"), mark("second")),
    # where games, rounds, tournaments, imports and analyses stand
    *(mark("offered"), mark("choosing"), mark("running"), mark("finished"), mark("declined")),
    *(mark("withdrawn"), mark("expired"), mark("aborted"), mark("open"), mark("pairing")),
    *(mark("refused"), mark("playing"), mark("paired"), mark("queued"), mark("done")),
    *(mark("cancelled"), mark("failed"), mark("accepted"), mark("duplicate"), mark("rejected")),
    *(mark("quarantined"), mark("variant-of"), mark("as-played"), mark("valid"), mark("stopped")),
    # how games end
    *(mark("mate"), mark("stalemate"), mark("king captured"), mark("castle captured")),
    *(mark("no captor left"), mark("no move"), mark("yara"), mark("yemubus"), mark("alka")),
    *(mark("points"), mark("resignation"), mark("agreement"), mark("adjudication")),
    *(mark("time forfeit"), mark("forfeit"), mark("rules infraction"), mark("abandoned")),
    *(mark("death"), mark("emergency"), mark("normal")),
    # what comes of captures
    *(mark("succeeds"), mark("no piece"), mark("empty target"), mark("own piece")),
    *(mark("immobile"), mark("no captor"), mark("no path"), mark("too weak")),
    *(mark("game over"), mark("not to move")),
    # speeds
    *(
        mark("untimed"),
        mark("bullet"),
        mark("blitz"),
        mark("rapid"),
        mark("classical"),
        mark("correspondence"),
    ),
    # by what lists are sorted
    *(mark("updated"), mark("day"), mark("plies"), mark("rating")),
    # what decides a tie
    *(mark("walkover"), mark("withdrawal"), mark("match points"), mark("game points")),
    mark("seed"),
    # streaks
    *(mark("winning"), mark("unbeaten"), mark("losing")),
)
"""The API's words, collected for translation."""


REASONS: Final = {
    "mate": mark("checkmate"),
    "king captured": mark("the King was captured"),
    "castle captured": mark("the Castle was captured"),
    "no captor left": mark("no captor is left"),
    "no move": mark("nobody can move"),
    "yara": mark("Yara, 18 points"),
    "yemubus": mark("Yemubus, an empty hajat"),
    "alka": mark("Alka"),
    "points": mark("by points"),
    "agreement": mark("by agreement"),
    "time forfeit": mark("time has run out"),
}
"""Why a game ended, if the `Termination` tag uses other words than a reader expects."""
MODES: Final = {
    "challenge": mark("Played here"),
    "scribe": mark("Recorded by a scribe"),
    "arbiter": mark("Set up by an arbiter"),
    "import": mark("Imported"),
    "tournament": mark("Played in a tournament"),
}
"""How a game came about, by its mode."""
PLAINER: Final = {"unterminated": mark("the record ends before the game does")}
"""Words of records that a reader would have to look up, in plain language."""


@pages.app_template_filter("word")
def say_word(word: object) -> str:
    """A word of the API or of a table in the reader's language; an unknown one is unchanged.

    >>> say_word("White"), say_word("by rules of 1887"), say_word("unterminated")
    ('White', 'by rules of 1887', 'the record ends before the game does')
    """
    # The text "" is the key of a catalogue's own header.
    return gettext(PLAINER.get(str(word), str(word))) if word else ""


@pages.app_template_filter("reason")
def describe_reason(termination: str) -> str:
    """Why a game ended, by its `Termination` tag.

    >>> describe_reason("mate"), describe_reason("resignation")
    ('checkmate', 'resignation')
    """
    return gettext(REASONS[termination]) if termination in REASONS else say_word(termination)


@pages.app_template_global("reasons")
def describe_reasons() -> dict[str, str]:
    """The reasons of all ends, for scripts of pages that show a game live.

    >>> describe_reasons()["mate"], describe_reasons()["resignation"]
    ('checkmate', 'resignation')
    """
    return {why: describe_reason(why) for why in Termination}


pages.add_app_template_filter(format_number, "number")
pages.add_app_template_filter(say_sentence, "sentence")


@pages.app_template_filter("mode")
def describe_mode(mode: str) -> str:
    """How a game came about, as the beginning of a sentence.

    >>> describe_mode("import")
    'Imported'
    """
    return gettext(MODES[mode])


@pages.app_template_filter("first_side")
def say_first_side(variant: str) -> str:
    """The name of a game's first side, whose winning chances are shown.

    >>> say_first_side("kerd"), say_first_side("katruji")
    ('White', 'South')
    """
    return say_word(find_variant(variant).sides[Side.FIRST])


@pages.app_template_filter("unit")
def name_unit(variant: str) -> str:
    """What a game's evaluation counts.

    >>> name_unit("kerd"), name_unit("katruji")
    ('Pawns', 'points')
    """
    return say_word(find_board(variant).words["unit"])


@pages.app_template_global()
def name_sides(variant: str | None = None) -> tuple[str, str]:
    """A game's names for its first and second side; all games' names if none is known.

    >>> name_sides("katruji"), name_sides()
    (('South', 'North'), ('South, Red, White', 'North, Blue, Black'))
    """
    games = VARIANTS.values() if variant is None else [find_variant(variant)]
    first, second = (
        ", ".join(dict.fromkeys(say_word(game.sides[side]) for game in games)) for side in Side
    )
    return first, second


@pages.app_template_filter("size")
def format_size(size: int) -> str:
    """The size of a file.

    >>> format_size(999), format_size(2_500_000)
    ('1.0 kB', '2.5 MB')
    """
    large = size >= MEGABYTE
    return f"{format_number(size / (MEGABYTE if large else KILOBYTE), 1)} {'MB' if large else 'kB'}"


@pages.app_template_filter("browser")
def say_browser(name: str) -> str:
    """The stored name of a browser in the reader's language."""
    browser, on, system = name.partition(ON)
    if not on:
        return gettext(browser)
    return gettext("%(browser)s on %(system)s", browser=gettext(browser), system=system)
