"""Common tournaments of clubs: an organiser picks one instead of the rules one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.languages.texts import mark

HERE: Final = "here"
"""Games are played on this site, and the service keeps their clocks."""
BOARD: Final = "board"
"""Games are played over the board, and an organiser types in the results."""
PLACES: Final = {
    BOARD: mark("over the board; you type in the results"),
    HERE: mark("here, on this site; results are entered automatically"),
}
"""Where games can be played, as worded in the form."""
TIMES: Final = ("minutes", "increment", "days")
OF_A_KIND: Final = ("rounds", "cycles", "games", "deciders", "third_place", "by_game_points")


@dataclass(frozen=True, slots=True)
class Preset:
    """A common tournament: its name, its description, and the form's fields that define it."""

    name: str
    said: str
    fields: Mapping[str, str]


PRESETS: Final[Mapping[str, Preset]] = {
    "club-evening": Preset(
        mark("Club evening"),
        mark(
            "Swiss system, 5 rounds: everybody plays every round, against players with the"
            " same score. Over the board, 15 minutes a side and 10 seconds per move."
        ),
        {"kind": "swiss", "rounds": "5", "played": BOARD, "minutes": "15", "increment": "10"},
    ),
    "round-robin": Preset(
        mark("Everybody plays everybody"),
        mark(
            "Round robin, for 3 to 12 players. Over the board, 30 minutes a side and 30 seconds per"
            " move."
        ),
        {"kind": "round-robin", "played": BOARD, "minutes": "30", "increment": "30"},
    ),
    "knockout": Preset(
        mark("Knockout"),
        mark(
            "Two games against each opponent, up to two more if they are level; the loser is out."
            " Over the board, 25 minutes a side and 10 seconds per move."
        ),
        {"kind": "knockout", "games": "2", "deciders": "2", "third_place": "yes"}
        | {"played": BOARD, "minutes": "25", "increment": "10"},
    ),
    "weekend-open": Preset(
        mark("Weekend open"),
        mark("Swiss system, 7 rounds. Over the board, 90 minutes a side and 30 seconds per move."),
        {"kind": "swiss", "rounds": "7", "played": BOARD, "minutes": "90", "increment": "30"},
    ),
    "online-evening": Preset(
        mark("Evening on this site"),
        mark(
            "Swiss system, 7 rounds of 5 minutes a side and 3 seconds per move. Players"
            " enter themselves; a player who has not appeared after 3 minutes forfeits."
        ),
        {"kind": "swiss", "rounds": "7", "played": HERE, "minutes": "5", "increment": "3"}
        | {"no_show_minutes": "3", "self_entry": "yes"},
    ),
    "correspondence": Preset(
        mark("Correspondence"),
        mark(
            "Everybody plays everybody on this site, with 3 days per move. Players enter"
            " themselves."
        ),
        {"kind": "round-robin", "played": HERE, "days": "3", "self_entry": "yes"},
    ),
}
"""The presets offered by the form, by the name that it sends."""


def complete_fields(given: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form, with those of its preset where the form leaves them empty.

    A form with its own time takes none from the preset; a form for another kind of tournament takes
    nothing that belongs to the preset's kind.

    >>> found = complete_fields({"preset": "club-evening", "rounds": "3", "name": "Cup"})
    >>> found["kind"], found["rounds"], found["minutes"], found["name"]
    ('swiss', '3', '15', 'Cup')
    >>> "minutes" in complete_fields({"preset": "club-evening", "days": "2"})
    False
    >>> "rounds" in complete_fields({"preset": "club-evening", "kind": "round-robin"})
    False
    """
    filled = {name: value.strip() for name, value in given.items() if value.strip()}
    preset = PRESETS.get(filled.get("preset", ""))
    usual = {} if preset is None else dict(preset.fields)
    dropped: tuple[str, ...] = ()
    if any(name in filled for name in TIMES):
        dropped += TIMES
    if filled.get("kind", usual.get("kind")) != usual.get("kind"):
        dropped += OF_A_KIND
    found = {name: value for name, value in usual.items() if name not in dropped} | filled
    if found.get("played") == HERE and any(name in found for name in TIMES):
        found["timed"] = "yes"
    return found
