"""Puzzles, and players' attempts at them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "puzzle",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("fen", sa.Text(), nullable=False),
        sa.Column("last", TEXT, nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("themes", sa.Text(), nullable=False),
        sa.Column("estimate", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("puzzle_variant", "puzzle", ["variant", "id"])
    op.create_index("puzzle_rating", "puzzle", ["variant", "rating", "id"])
    op.create_table(
        "puzzle_theme",
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("theme", TEXT, nullable=False),
        sa.Column("puzzle", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("variant", "theme", "puzzle"),
        sqlite_with_rowid=False,
    )
    op.create_index("puzzle_theme_puzzle", "puzzle_theme", ["puzzle"])
    op.create_table(
        "solver",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("head", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    create_attempts()
    op.create_table(
        "attempt_due",
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("variant"),
    )


def create_attempts() -> None:
    """Create the table of attempts."""
    op.create_table(
        "attempt",
        sa.Column("player", TEXT, nullable=False),
        sa.Column("puzzle", TEXT, nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Boolean(), nullable=False),
        sa.Column("help", TEXT, nullable=False),
        sa.Column("actions", sa.Text(), nullable=False),
        sa.Column("estimate", sa.Integer(), nullable=False),
        *(
            sa.Column(f"{who}_{what}", type, nullable=True)
            for who in ("player", "puzzle")
            for what, type in (
                ("before", sa.Float()),
                ("rating", sa.Float()),
                ("deviation", sa.Float()),
                ("volatility", sa.Float()),
                ("attempts", sa.Integer()),
            )
        ),
        sa.PrimaryKeyConstraint("player", "puzzle"),
    )
    for name, columns in (
        ("attempt_order", ["variant", "at", "player", "version"]),
        ("attempt_player", ["player", "variant", "at", "version"]),
        ("attempt_puzzle", ["puzzle", "at", "player", "version"]),
    ):
        op.create_index(name, "attempt", columns)
