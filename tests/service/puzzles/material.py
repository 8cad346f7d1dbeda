"""Forks and sacrifices by counting material on the slow references of the rules.

It shares nothing with `service.puzzles.themes`, which it checks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Final, Protocol, Self

from tests.engine import katruji_reference, kerak_reference, kerd_reference
from tests.engine.kerd_reference_actions import actions as list_kerd_actions
from tests.engine.kerd_reference_actions import ending, moves

LEAST_GAIN: Final = 180
KERD_WORTH: Final = {
    "P": 100, "C": 40, "J": 150, "B": 320, "H": 210, "S": 215, "T": 480, "Q": 1130, "K": 0,
}  # fmt: skip


class Board(Protocol):
    """A position of a reference, whose actions are in coordinate form."""

    def passed(self) -> Self:
        """The position with the other side to act."""

    def stands(self, cell: str) -> bool:
        """Whether there is a piece on a cell."""

    def balance(self) -> int:
        """By how much the material of the side to act exceeds the other's, in hundredths."""

    def follow(self, origin: str = "") -> dict[str, Self]:
        """The legal actions, at least those from `origin`, with the positions after them."""

    def is_lost(self) -> bool:
        """Whether the side to act has lost."""


@dataclass
class KerdBoard:
    state: kerd_reference.State

    def passed(self) -> KerdBoard:
        return KerdBoard(replace(self.state.other(), recapture=None))

    def stands(self, cell: str) -> bool:
        return kerd_reference.named(cell) in self.state.board

    def balance(self) -> int:
        return sum(
            KERD_WORTH[piece.upper()] * (1 if self.state.own(square) else -1)
            for square, piece in self.state.board.items()
        )

    def follow(self, origin: str = "") -> dict[str, KerdBoard]:
        if not origin:
            found = list_kerd_actions(self.state)
        else:
            found = moves(self.state, kerd_reference.named(origin))
        white = self.state.white
        return {
            action: KerdBoard(after)
            for action, after in found.items()
            if self.state.draft or not kerd_reference.king_attacked(after, white=white)
        }

    def is_lost(self) -> bool:
        return ending(self.state, self.follow()) in ("king captured", "mate")


@dataclass
class KerakBoard:
    position: kerak_reference.Reference

    def passed(self) -> KerakBoard:
        return KerakBoard(replace(self.position, side=1 - self.position.side))

    def stands(self, cell: str) -> bool:
        return kerak_reference.space_of(cell) in self.position.board

    def balance(self) -> int:
        return 100 * sum(
            kerak_reference.POINTS[letter] * (1 if side == self.position.side else -1)
            for side, letter in self.position.board.values()
        )

    def follow(self, origin: str = "") -> dict[str, KerakBoard]:
        found = {action: deepcopy(self.position) for action in self.position.actions()}
        for action, after in found.items():
            after.play(action)
        return {action: KerakBoard(after) for action, after in found.items()}

    def is_lost(self) -> bool:
        outcome = self.position.outcome()
        return outcome is not None and outcome[0] == ("0-1", "1-0")[self.position.side]


@dataclass
class KatrujiBoard:
    position: katruji_reference.Reference

    def passed(self) -> KatrujiBoard:
        return KatrujiBoard(replace(self.position, side=self.position.other, undo="-"))

    def stands(self, cell: str) -> bool:
        return cell in self.position.board

    def balance(self) -> int:
        points = self.position.points
        return 100 * (points[self.position.side] - points[self.position.other])

    def follow(self, origin: str = "") -> dict[str, KatrujiBoard]:
        legal = self.position.legal()
        return {action: KatrujiBoard(self.position.after(action)) for action in legal}

    def is_lost(self) -> bool:
        outcome = self.position.outcome()
        return outcome is not None and outcome[0] == self.position.other


def read_board(variant: str, fen: str) -> Board:
    """The position that a FEN describes."""
    if variant == "katruji":
        return KatrujiBoard(katruji_reference.Reference.read(fen))
    if variant == "kerak":
        return KerakBoard(kerak_reference.Reference.of_fen(fen))
    return KerdBoard(kerd_reference.read(fen, draft=variant == "kerd-draft"))


def name_sacrifice_and_fork(board: Board, line: Sequence[str]) -> set[str]:
    """Those of the themes `fork` and `sacrifice` that a line has."""
    _, target = find_ends(line[0])
    after = board.follow()[line[0]]
    if target is None or after.is_lost():
        return set()
    found = {"fork"} if count_prongs(after, target) >= 2 else set()
    if len(line) < 3 or find_ends(line[1])[1] != target or not after.stands(target):
        return found
    loses = after.follow()[line[1]].balance() < board.balance()
    return found | {"sacrifice"} if loses else found


def count_prongs(board: Board, cell: str) -> int:
    """The pieces that the one on a cell could win by acting once more."""
    again = board.passed()
    return len(
        {
            target
            for action, after in again.follow(cell).items()
            for origin, target in [find_ends(action)]
            if origin == cell and target is not None and again.stands(target)
            if after.is_lost() or wins_material(again, after, target)
        }
    )


def wins_material(before: Board, after: Board, target: str) -> bool:
    """Whether a capture wins enough, and something even if the piece is recaptured."""
    least = -after.balance()
    if least - before.balance() < LEAST_GAIN:
        return False
    retaken = [one for action, one in after.follow().items() if find_ends(action)[1] == target]
    return min([least, *(one.balance() for one in retaken)]) > before.balance()


def find_ends(action: str) -> tuple[str | None, str | None]:
    """The cells from which and to which an action moves a piece."""
    cells = re.findall(r"[a-l][0-9]+", action)
    return (cells[0], cells[1]) if len(cells) > 1 else (None, None)
