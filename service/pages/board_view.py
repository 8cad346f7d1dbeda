"""A board in a page: the picture of a position, its table, trays and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from notation.registry import find_dialect
from service.boards.board import Figure, Tray
from service.boards.gains import Gain, list_gains
from service.boards.scene import Scene, make_scene
from service.boards.svg import draw, use, use_sign
from service.languages.texts import gettext


@dataclass(frozen=True, slots=True)
class BoardView:
    """A drawn position, its table for those who cannot see it, and what may be played in it.

    `legal` are the API's actions (`action`, `san`) if the reader may act, `last` is the short form
    of the action that led here, and `ply` is how many actions came before.
    """

    scene: Scene
    fen: str
    below: str
    last: str | None = None
    legal: Sequence[Mapping[str, str]] = ()
    ply: int = 0

    @property
    def picture(self) -> Markup:
        """The board."""
        # Whatever `draw` puts into the picture is its own or escaped.
        return Markup(draw(self.scene, self.below == "second"))

    @property
    def table(self) -> list[list[tuple[str, Figure | None]]]:
        """Each row's cells by name with the piece there, the reader's own side below."""
        standing = self.scene.standing
        rows = [[(c.name, standing.get(c.name)) for c in row] for row in self.scene.board.rows]
        return [row[::-1] for row in rows[::-1]] if self.below == "second" else rows

    def draw_trays(self, side: str) -> list[tuple[Tray, list[tuple[str, int, str, Markup]]]]:
        """Return a side's trays with each piece's letter, number, name and picture."""
        own = ("first", "second").index(side)
        board = self.scene.board
        found = []
        for tray in self.scene.trays:
            if tray.side == own:
                figures = [
                    (letter, n, board.read_figure(letter, None)) for letter, n in tray.pieces
                ]
                pictures = [
                    (letter.upper(), n, figure.spoken, Markup(use(figure, 20, 20, 40)))
                    for letter, n, figure in figures
                ]
                found.append((tray, pictures))
        return found

    @property
    def points(self) -> tuple[int, int] | None:
        """Both sides' points, if the game counts them."""
        return self.scene.points

    @property
    def legend_pieces(self) -> list[tuple[Markup, str]]:
        """Each kind of piece, drawn 40 units wide as the first side's, with its name.

        In a game with secret choices, the sign of such a choice follows.
        """
        board = self.scene.board
        side = f"{self.scene.variant.sides[0]} "
        figures = (board.read_figure(letter, None) for letter in board.letters)
        kinds = {one.symbol: one for one in figures if not one.side}.values()
        found = [
            (Markup(use(one, 20, 20, 40)), gettext(one.name.removeprefix(side))) for one in kinds
        ]
        if "choice" in board.words:
            word = self.words["choice"]
            found.append((Markup(use_sign("choice", 20, 20, 34)), word[0].upper() + word[1:]))
        return found

    @property
    def words(self) -> Mapping[str, str]:
        """The meanings of parts of actions, in words."""
        return {name: gettext(said) for name, said in self.scene.board.words.items()}


def view_of(
    game: Mapping[str, Any],
    position: Mapping[str, Any],
    below: str,
    legal: Sequence[Mapping[str, Any]] = (),
) -> BoardView:
    """The view of a position of a game, both as given by the API."""
    gains = read_gains(game, position["ply"])
    shown = make_scene(game["variant"], position["fen"], position["action"], gains)
    return BoardView(shown, position["fen"], below, position["san"], legal, position["ply"])


def read_gains(game: Mapping[str, Any], ply: int) -> list[Gain]:
    """The points gained by the first `ply` actions of a game from the API."""
    written, first = find_dialect(game["variant"]), game["initial_fen"]
    position = written.start({}) if first is None else written.read_fen(first)
    tokens = (one["action"] for one in game["actions"][:ply])
    # Each action is read in the position after those before it.
    return list_gains(position, (written.resolve(position, token) for token in tokens))
