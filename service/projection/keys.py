"""The keys of the game list: one hash tag, so that its scripts stay in one slot of a cluster.

movelog:{index}:current       the generation that is read
movelog:{index}:building      the generation a rebuild is filling, while one runs
movelog:{index}:generation    counts generations
movelog:{index}:positions     hash: partition → checkpoint (`service.log.feed_checkpoints`)
movelog:{index}:parked        hash: game → why it could not be folded, and its pointers
movelog:{index}:g<n>:games    hash: game → summary, of generation n
movelog:{index}:g<n>:placed   hash: game → version and the lists it stands in
movelog:{index}:g<n>:counts   hash: variant, player, how it went → in how many games
movelog:{index}:g<n>:lists    set: the names of the lists that hold a game
movelog:{index}:g<n>:list:<name>   sorted set: a list's members, all with score 0
movelog:{index}:g<n>:indexed       hash: game → what it has contributed to the two below
movelog:{index}:g<n>:next:<bucket>, seen:<bucket>   see `service.projection.position_index`
movelog:{index}:g<n>:keys          set: the names of all that follows
movelog:{index}:g<n>:tournaments, players, rated-games, changed   see `sorted_lists.py`
movelog:{index}:g<n>:list-of-tournaments, list-of-players, rated:<variant>   sorted sets of lines
movelog:{index}:g<n>:namesakes     sorted set of lines, see `service.projection.namesakes`
movelog:{index}:g<n>:imports, list-of-imports, imports-by=<player>   sorted sets of lines as well
movelog:{index}:g<n>:ratings:<variant>, latest:<variant>   see `service.projection.ratings`
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

PREFIX: Final = "movelog:{index}:"
CURRENT: Final = f"{PREFIX}current"
BUILDING: Final = f"{PREFIX}building"
COUNTER: Final = f"{PREFIX}generation"
DEAD_LETTERS: Final = f"{PREFIX}parked"
GENERATION: Final = f"{PREFIX}g"
"""What stands before a generation's number."""


def list_name(by: str, value: str) -> str:
    """The name of a list, free of blanks whatever the value is.

    >>> list_name("termination", "king captured")
    'termination=king%20captured'
    """
    return f"{by}={quote(value, safe='')}"


def tally_name(variant: str, player: str, went: str) -> str:
    """The name of a count, free of blanks as ids and names of games are.

    >>> tally_name("kerd", "a5x7", "won")
    'kerd:a5x7:won'
    """
    return f"{variant}:{player}:{went}"
