"""Search of a position in which something is unknown.

Nearly all of it is one search, of the plain world: the position as if no unknown choice ever had an
effect. That search decides which actions are best. What these are worth also depends on the
choices, so a sample of the worlds (`engine.world`) is searched a little, each as if it were the
truth, and by how much an action's chance differs there from the plain world's, searched as deeply,
is added to it (Monte Carlo sampling as in Ginsberg, GIB: Imperfect Information in a
Computationally Challenging Game, 2001, with the plain world as a control variate).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from engine.position import Position
from engine.search.limit_watch import never_stop
from engine.search.limits import Limits
from engine.search.search import Search
from engine.search.uncertain_iteration import UncertainIteration
from engine.search.worlds_search import WorldsSearch


def iterate_worlds(
    search: Search,
    position: Position,
    limits: Limits,
    *,
    lines: int = 1,
    worlds: int = 16,
    seed: int = 0,
    stop: Callable[[], bool] = never_stop,
) -> Iterator[UncertainIteration]:
    """`search.iterate` over a sample of at most `worlds` worlds, drawn with `seed`.

    `limits` hold for all searches together. With one world, or where the game is over in all, the
    iterations are those of `search.iterate`. ValueError if `lines` is not positive, or if `worlds`
    is below two: a single one would be a guess.
    """
    if lines < 1 or worlds < 2:
        raise ValueError(min(lines, worlds))
    random = Random(seed)
    sample = list(search.variant.worlds(position, worlds, random))
    random.shuffle(sample)  # the limits may let only the first ones be searched
    if len(sample) == 1 or all(world.position.outcome() for world in sample):
        # Where the game is over in every world, any of them shows how.
        for iteration in search.iterate(sample[0].position, limits, lines=lines, stop=stop):
            yield UncertainIteration.of_one_world(iteration)
        return
    plain = search.variant.plain_world(position)
    yield from WorldsSearch(search, plain, sample, limits, lines, stop).iterate()
