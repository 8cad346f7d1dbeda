"""Quadrille, a game of four by four squares that only the tests know.

It follows `docs/adding-a-game.md`: `test_recipe` puts these modules and `data/` where the page says
into a copy of the repository, adds its lines to the registries, and runs there what runs over every
game. Its rules:

Each side has a King and three Pawns on the rank nearest to it, White's King on c1, Black's on b4;
White begins. A King moves one square in any direction. A Pawn moves one square straight forward to
an empty square, or captures one square diagonally forward. Pieces are captured by moving onto them,
never one's own. Whoever captures the King has won; who has no legal move draws by stalemate. A
player who runs out of time loses.
"""
