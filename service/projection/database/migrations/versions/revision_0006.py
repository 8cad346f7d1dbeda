"""The ratings of puzzles beside their themes."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table anew with the column."""
    op.execute("CREATE TEMPORARY TABLE theme_before AS SELECT * FROM puzzle_theme")
    op.drop_table("puzzle_theme")
    op.create_table(
        "puzzle_theme",
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("theme", TEXT, nullable=False),
        sa.Column("puzzle", TEXT, nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("variant", "theme", "puzzle"),
        sqlite_with_rowid=False,
    )
    op.create_index("puzzle_theme_puzzle", "puzzle_theme", ["puzzle"])
    op.create_index("puzzle_theme_rating", "puzzle_theme", ["variant", "theme", "rating", "puzzle"])
    op.execute(
        "INSERT INTO puzzle_theme (variant, theme, puzzle, rating) "
        "SELECT before.variant, before.theme, before.puzzle, puzzle.rating "
        "FROM theme_before AS before JOIN puzzle ON puzzle.id = before.puzzle"
    )
    op.execute("DROP TABLE theme_before")
