"""The digest of the puzzles that came with the service."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "puzzle_collection",
        sa.Column("digest", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
