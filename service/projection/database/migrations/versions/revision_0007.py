"""The puzzles that were withdrawn."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "puzzle_withdrawal",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("in_force", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("head", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
