"""Puzzles that are found in games."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "searched_game",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("head", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "found_puzzle",
        sa.Column("puzzle", TEXT, nullable=False),
        sa.Column("game", TEXT, nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("fen", sa.Text(), nullable=False),
        sa.Column("last", TEXT, nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("themes", sa.Text(), nullable=False),
        sa.Column("estimate", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("puzzle", "game"),
    )
    op.create_index("found_puzzle_game", "found_puzzle", ["game"])
