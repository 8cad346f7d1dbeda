"""How the computer chooses an action, and how it judges a position.

What it plays must not reveal its own secret choice. So an action is chosen from public knowledge
alone: it is the same whatever was chosen in secret. What only the computer knows decides one
thing: whether to play an action that gives the secret away (in Kerd, a reveal). What it does not
know it disregards (`engine.variant.Variant.plain_world`), since time for a deeper search is worth
more than time for each of the many choices that its opponent may have made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from engine.position import Action, Position
from engine.search import Limits, ScoredLine, Search, iterate_worlds
from engine.search.chance import winning_chance
from engine.side import Side
from engine.variant import Variant
from notation.registry import find_dialect
from service.computer.levels import Level

PUBLIC_SHARE: Final = 0.6
"""The share of the time for the public search when the computer may have a secret."""
JUDGED_NODES: Final = 4_000
"""Nodes that are searched to judge a position, at every level."""
JUDGED_WORLDS: Final = 4
SEEDS: Final = 2**31
SMALL: Final = 20_000
"""The most nodes for which a small table is enough."""


@dataclass(frozen=True, slots=True)
class Views:
    """A position as everybody may know it, and as the side to act knows it."""

    public: Position
    own: Position

    @classmethod
    def of(cls, variant: Variant, position: Position) -> Views:
        """The views of a position that is fully known to the caller."""
        sealing = find_dialect(variant.name).sealing
        if sealing is None:
            return cls(position, position)
        return cls(
            sealing.view(position, list(Side)),
            sealing.view(position, [Side(position.side).other]),
        )


@dataclass(slots=True)
class Chooser:
    """Chooses actions for a side in games of a variant; `nodes` counts the nodes searched."""

    variant: Variant
    level: Level
    draw_by_points: bool = False
    nodes: int = 0

    def choose(self, views: Views, seed: int, seconds: float | None = None) -> Action:
        """An action for a position that is not over, within `seconds` (the level's if None).

        The same seed, views and nodes give the same action. `views.own` decides only whether it is
        an action that reveals the secret.
        """
        random = Random(seed)
        seconds = self.level.seconds if seconds is None else seconds
        public = self.search(
            views.public,
            random.randrange(SEEDS),
            seconds * (PUBLIC_SHARE if has_unknown_choice(self.variant, views.public) else 1),
            self.level.lines,
        )
        shown = self.pick(public, random)
        telling = list_telling_actions(self.variant, views.own)
        if telling:
            own = self.search(
                views.own, random.randrange(SEEDS), seconds * (1 - PUBLIC_SHARE), lines=1
            )
            if own and own[0].actions[0] in telling:
                return own[0].actions[0]
        if shown is not None and views.own.is_legal(shown):
            return shown
        # If nothing else can be played, an action that reveals the secret is.
        return telling[0] if telling else views.own.legal()[0]

    def pick(self, lines: Sequence[ScoredLine], random: Random) -> Action | None:
        """The best line's action as the level misjudges the lines; None if there are none."""
        error = self.level.error * self.variant.scale
        judged = [(line.score + random.gauss(0, error), line.actions[0]) for line in lines]
        return max(judged)[1] if judged else None

    def search(
        self, position: Position, seed: int, seconds: float, lines: int
    ) -> Sequence[ScoredLine]:
        """The best lines within the level's bounds; none if only hidden actions are legal."""
        plain = self.variant.plain_world(position)
        if plain.outcome() is not None:
            return ()
        search = Search(
            self.variant,
            table_mebibytes=1 if self.level.nodes <= SMALL else 8,
            seed=seed,
            draw_by_points=self.draw_by_points,
        )
        limits = Limits(nodes=self.level.nodes, seconds=max(seconds, 0.001))
        *_, last = search.iterate(plain, limits, lines=lines)
        self.nodes += last.nodes
        return last.lines


def judge_position(
    variant: Variant, public: Position, seed: int, seconds: float, *, draw_by_points: bool = False
) -> float:
    """The winning chance of the side to act, from 0 to 1, by public knowledge."""
    search = Search(variant, table_mebibytes=1, seed=seed % SEEDS, draw_by_points=draw_by_points)
    *_, last = iterate_worlds(
        search,
        public,
        Limits(nodes=JUDGED_NODES, seconds=max(seconds, 0.001)),
        worlds=JUDGED_WORLDS,
        seed=seed,
    )
    return winning_chance(variant, last.score)


def has_unknown_choice(variant: Variant, public: Position) -> bool:
    """Whether the side to act may have a secret, as far as everybody knows."""
    sealing = find_dialect(variant.name).sealing
    return sealing is not None and Side(public.side) in sealing.open_sides(public)


def list_telling_actions(variant: Variant, own: Position) -> list[Action]:
    """The legal actions of the side to act that reveal what it has chosen in secret."""
    sealing = find_dialect(variant.name).sealing
    if sealing is None:
        return []
    shown = set(sealing.visible_actions(own, [Side(own.side)]))
    return [action for action in own.legal() if action not in shown]
