"""The heads that rows were made from; existing rows have none."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns."""
    for table in ("game", "held_game", "player", "tournament"):
        op.add_column(table, sa.Column("head", sa.BigInteger(), nullable=True))
