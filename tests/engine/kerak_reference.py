"""A slow Kerak: a literal reading of the rules page that shares nothing with the engine.

Spaces are (letter, number) pairs from 1, the board is a dictionary, paths are lists of spaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Space = tuple[int, int]
Piece = tuple[int, str]  # side, letter

ALL = [(a, n) for a in range(1, 10) for n in range(1, 10) if 6 <= a + n <= 14]
HOME = ({6, 7, 8}, {14, 13, 12})
MOVES = {"I": 1, "A": 1, "V": 3, "N": 2, "H": 3, "C": 0}
STRENGTH = {"I": 1, "A": 1, "V": 1, "N": 2, "H": 2, "C": 2}
POINTS = {"I": 1, "A": 2, "V": 2, "N": 3, "H": 3, "C": 0}


def name(space: Space) -> str:
    return "abcdefghi"[space[0] - 1] + str(space[1])


def space_of(text: str) -> Space:
    return ("abcdefghi".index(text[0]) + 1, int(text[1]))


def apart(one: Space, other: Space) -> int:
    right, up = other[0] - one[0], other[1] - one[1]
    return max(abs(right), abs(up), abs(right + up))


NEAR = {space: [other for other in ALL if apart(space, other) == 1] for space in ALL}


@dataclass
class Reference:
    """A position, whose actions are named in coordinate form."""

    board: dict[Space, Piece]
    side: int
    hands: tuple[list[str], list[str]]
    points: list[int]
    number: int

    @classmethod
    def of_fen(cls, fen: str) -> Reference:
        placement, side, hand, points, number = fen.split(" ")
        board: dict[Space, Piece] = {}
        for total, row in zip(range(14, 5, -1), placement.split("/"), strict=True):
            letter = min(space[0] for space in ALL if sum(space) == total)
            for character in row:
                if character.isdigit():
                    letter += int(character)
                else:
                    board[letter, total - letter] = (int(character.islower()), character.upper())
                    letter += 1
        hands: tuple[list[str], list[str]] = ([], [])
        for character, count in re.findall(r"([a-zA-Z])(\d*)", hand):
            hands[character.islower()].extend(character.upper() * int(count or 1))
        red, blue = points.split("-")
        return cls(board, "rb".index(side), hands, [int(red), int(blue)], int(number))

    # Paths.

    def paths(self, origin: Space, length: int) -> list[list[Space]]:
        """All paths of 1 to `length` steps that are empty up to the last space."""
        found: list[list[Space]] = []

        def go_on(path: list[Space]) -> None:
            if len(path) > length or (len(path) > 1 and path[-1] in self.board):
                return
            for space in NEAR[path[-1]]:
                if all(apart(left, space) > 1 for left in path[:-1]):
                    found.append([*path, space])
                    go_on([*path, space])

        go_on([origin])
        return found

    def targets(self, origin: Space) -> set[Space]:
        """Where the piece on a space may move or capture."""
        side, letter = self.board[origin]
        return {
            path[-1]
            for path in self.paths(origin, MOVES[letter])
            if path[-1] not in self.board
            or (self.board[path[-1]][0] != side and self.captures(origin, path[-2], path[-1]))
        }

    # Capturing.

    def captures(self, origin: Space, approach: Space, target: Space) -> bool:
        attacker, victim = self.board[origin][1], self.board[target][1]
        if victim == "C" and attacker not in ("I", "A"):
            return False
        if victim == "A" and attacker in ("V", "N", "H"):
            return True
        return self.attack(origin, approach, target) >= self.defence(origin, approach, target)

    def attack(self, origin: Space, approach: Space, target: Space) -> int:
        side, letter = self.board[origin]
        total = STRENGTH[letter]
        for space, (other_side, other) in self.board.items():
            if other_side != side or space == origin or other == "C":
                continue
            if apart(space, target) <= (2 if other == "A" else 1):
                total += STRENGTH[other]
        return total + self.castle_helps(side, letter, approach)

    def defence(self, origin: Space, approach: Space, target: Space) -> int:
        side, letter = self.board[target]
        total = STRENGTH[letter]
        for space, (other_side, other) in self.board.items():
            if other_side != side or space == target or other == "C":
                continue
            radius = 2 if other == "A" else 1
            if apart(space, approach) <= radius and apart(space, target) <= radius:
                total += STRENGTH[other]
        return total + self.castle_helps(side, letter, target)

    def castle_helps(self, side: int, letter: str, space: Space) -> int:
        castle = self.castle(side)
        return int(letter in ("I", "A") and castle is not None and apart(castle, space) == 1)

    # Endings.

    def castle(self, side: int) -> Space | None:
        return next((s for s, piece in self.board.items() if piece == (side, "C")), None)

    def moves(self, side: int) -> set[str]:
        return {
            name(origin) + name(target)
            for origin, piece in self.board.items()
            if piece[0] == side
            for target in self.targets(origin)
        }

    def can_capture_a_castle(self, side: int) -> bool:
        others = [
            letter for owner, letter in self.board.values() if owner == side and letter != "C"
        ]
        return len(others) >= 2 and ("I" in others or "A" in others)

    def outcome(self) -> tuple[str, str] | None:
        if self.hands[0] or self.hands[1]:
            return None
        for side, result in ((0, "0-1"), (1, "1-0")):
            if self.castle(side) is None:
                return result, "castle captured"
        if not self.can_capture_a_castle(0) and not self.can_capture_a_castle(1):
            return "1/2-1/2", "no captor left"
        if not self.moves(0) and not self.moves(1):
            return "1/2-1/2", "no move"
        return None

    # Actions.

    def actions(self) -> set[str]:
        if self.outcome() is not None:
            return set()
        if self.hands[self.side]:
            places = [s for s in ALL if sum(s) in HOME[self.side] and s not in self.board]
            return {f"{p}@{name(space)}" for p in self.hands[self.side] for space in places}
        return self.moves(self.side) or {"--"}

    def play(self, action: str) -> None:
        side = self.side
        if "@" in action:
            self.hands[side].remove(action[0])
            self.board[space_of(action[2:])] = (side, action[0])
        elif action != "--":
            target = space_of(action[2:])
            if target in self.board:
                self.points[side] += POINTS[self.board[target][1]]
            self.board[target] = self.board.pop(space_of(action[:2]))
        self.number += side
        self.side = 1 - side

    def perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for action in self.actions():
            hands = (list(self.hands[0]), list(self.hands[1]))
            after = Reference(dict(self.board), self.side, hands, list(self.points), self.number)
            after.play(action)
            total += after.perft(depth - 1)
        return total
