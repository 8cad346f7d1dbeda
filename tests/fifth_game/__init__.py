"""Quadrille, a game on four by four squares that exists only in the tests.

It follows `docs/adding-a-game.md`: `test_recipe` copies the repository, puts these modules and
`data/` where the page says, adds their lines to the registries, and runs there the tests that cover
every game. Its rules:

Each side has a King and three Pawns on its first rank, White's King on c1, Black's on b4; White
begins. A King moves one square in any direction. A Pawn moves one square straight forward to an
empty square, or captures one square diagonally forward. A piece captures by moving onto an enemy
piece. Capturing the King wins; a side without a legal move draws by stalemate. A player who runs
out of time loses.
"""
