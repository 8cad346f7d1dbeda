"""Rankings by an index."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the index."""
    op.create_index("rating_ranking", "rating", ["variant", "speed", "latest", "rating", "player"])
