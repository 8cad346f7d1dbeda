"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "checkpoint",
        sa.Column("partition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("partition"),
    )
    op.create_table(
        "challenge",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("creator", TEXT, nullable=False),
        sa.Column("opponent", TEXT, nullable=True),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("challenge_creator", "challenge", ["creator", "created_at"], unique=False)
    op.create_index(
        "challenge_open", "challenge", ["private", "opponent", "created_at", "id"], unique=False
    )
    op.create_table(
        "continuation",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("first_wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("second_wins", sa.Integer(), nullable=False),
        sa.Column("unfinished", sa.Integer(), nullable=False),
        sa.Column("rating_sum", sa.BigInteger(), nullable=False),
        sa.Column("rated", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", "action"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "data_version",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "dead_letter",
        sa.Column("game", TEXT, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("after", TEXT, nullable=False),
        sa.Column("upto", TEXT, nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game"),
    )
    op.create_table(
        "game",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("mode", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("first", TEXT, nullable=True),
        sa.Column("second", TEXT, nullable=True),
        sa.Column("result", TEXT, nullable=True),
        sa.Column("termination", TEXT, nullable=True),
        sa.Column("scored", sa.Boolean(), nullable=False),
        sa.Column("first_points", sa.Integer(), nullable=True),
        sa.Column("second_points", sa.Integer(), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("day", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=True),
        sa.Column("first_rating", sa.Integer(), nullable=True),
        sa.Column("second_rating", sa.Integer(), nullable=True),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("computer", sa.SmallInteger(), nullable=False),
        sa.Column("secret_choice", TEXT, nullable=True),
        sa.Column("fen", sa.Text(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("sample", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("game_day", "game", ["day", "number"], unique=False)
    op.create_index("game_plies", "game", ["plies", "number"], unique=False)
    op.create_index("game_rating", "game", ["rating", "number"], unique=False)
    op.create_index("game_result", "game", ["result", "number"], unique=False)
    op.create_index("game_sample", "game", ["sample", "number"], unique=False)
    op.create_index("game_status", "game", ["status", "number"], unique=False)
    op.create_index("game_termination", "game", ["termination", "number"], unique=False)
    op.create_index("game_updated", "game", ["updated_at", "number"], unique=False)
    op.create_index("game_variant", "game", ["variant", "number"], unique=False)
    op.create_table(
        "game_material",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_opening",
        sa.Column("edition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("edition", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_play",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("actions", sa.Text(), nullable=False),
        sa.Column("placements", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "game_position",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("result", sa.SmallInteger(), nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key", "number", "ply"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_tag",
        sa.Column("pair", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("pair", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "held_game",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("mode", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("first", TEXT, nullable=True),
        sa.Column("second", TEXT, nullable=True),
        sa.Column("result", TEXT, nullable=True),
        sa.Column("termination", TEXT, nullable=True),
        sa.Column("scored", sa.Boolean(), nullable=False),
        sa.Column("first_points", sa.Integer(), nullable=True),
        sa.Column("second_points", sa.Integer(), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("day", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=True),
        sa.Column("first_rating", sa.Integer(), nullable=True),
        sa.Column("second_rating", sa.Integer(), nullable=True),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("computer", sa.SmallInteger(), nullable=False),
        sa.Column("secret_choice", TEXT, nullable=True),
        sa.Column("fen", sa.Text(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("sample", sa.SmallInteger(), nullable=False),
        sa.Column("import", TEXT, nullable=False),
        sa.Column("keys", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("held_game_import", "held_game", ["import", "number"], unique=False)
    op.create_table(
        "import",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("by", TEXT, nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("import_begun", "import", ["begun_at", "id"], unique=False)
    op.create_index("import_by", "import", ["by", "begun_at", "id"], unique=False)
    op.create_table(
        "named_game",
        sa.Column("edition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("edition", "name", "number"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "named_game_rating", "named_game", ["edition", "name", "rating", "number"], unique=False
    )
    op.create_table(
        "namesake",
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("player", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("digest", "player"),
        sqlite_with_rowid=False,
    )
    op.create_index("namesake_player", "namesake", ["player"], unique=False)
    op.create_table(
        "open_game",
        sa.Column("player", TEXT, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("player", "number"),
        sqlite_with_rowid=False,
    )
    op.create_index("open_game_number", "open_game", ["number"], unique=False)
    op.create_table(
        "opening",
        sa.Column("edition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("code", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("edition", "key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "opening_edition",
        sa.Column("edition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reached", sa.BigInteger(), nullable=False),
        sa.Column("classified", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("ready", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("edition"),
    )
    op.create_table(
        "player",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("claimed", sa.Boolean(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("odd", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "player_word",
        sa.Column("text", TEXT, nullable=False),
        sa.Column("player", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("text", "player"),
        sqlite_with_rowid=False,
    )
    op.create_index("player_word_player", "player_word", ["player"], unique=False)
    op.create_table(
        "rated_game",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("first", TEXT, nullable=True),
        sa.Column("second", TEXT, nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "rated_game_ended", "rated_game", ["variant", "speed", "ended_at", "id"], unique=False
    )
    op.create_table(
        "rating",
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=False),
        sa.Column("player", TEXT, nullable=False),
        sa.Column("period", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("latest", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("variant", "speed", "player", "period"),
    )
    op.create_index(
        "rating_latest", "rating", ["variant", "speed", "latest", "player"], unique=False
    )
    op.create_index("rating_period", "rating", ["variant", "speed", "period"], unique=False)
    op.create_table(
        "rating_due",
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("speed", TEXT, nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("variant", "speed"),
    )
    op.create_table(
        "seat",
        sa.Column("player", TEXT, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("side", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("went", TEXT, nullable=True),
        sa.Column("opponent", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("player", "number", "side"),
        sqlite_with_rowid=False,
    )
    op.create_index("seat_number", "seat", ["number"], unique=False)
    op.create_table(
        "shared_position",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rating", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "rating", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "short_name",
        sa.Column("text", TEXT, nullable=False),
        sa.Column("player", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("text", "player"),
        sqlite_with_rowid=False,
    )
    op.create_index("short_name_player", "short_name", ["player"], unique=False)
    op.create_table(
        "tournament",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("folded_name", TEXT, nullable=False),
        sa.Column("variant", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("creator", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("tournament_created", "tournament", ["created_at", "id"], unique=False)
    op.create_table(
        "entrant",
        sa.Column("player", TEXT, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("player", "tournament"),
        sqlite_with_rowid=False,
    )
    op.create_index("entrant_tournament", "entrant", ["tournament"], unique=False)


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("entrant_tournament", table_name="entrant")
    op.drop_table("entrant")
    op.drop_index("tournament_created", table_name="tournament")
    op.drop_table("tournament")
    op.drop_index("short_name_player", table_name="short_name")
    op.drop_table("short_name")
    op.drop_table("shared_position")
    op.drop_index("seat_number", table_name="seat")
    op.drop_table("seat")
    op.drop_table("rating_due")
    op.drop_index("rating_period", table_name="rating")
    op.drop_index("rating_latest", table_name="rating")
    op.drop_table("rating")
    op.drop_index("rated_game_ended", table_name="rated_game")
    op.drop_table("rated_game")
    op.drop_index("player_word_player", table_name="player_word")
    op.drop_table("player_word")
    op.drop_table("player")
    op.drop_table("opening_edition")
    op.drop_table("opening")
    op.drop_index("open_game_number", table_name="open_game")
    op.drop_table("open_game")
    op.drop_index("namesake_player", table_name="namesake")
    op.drop_table("namesake")
    op.drop_index("named_game_rating", table_name="named_game")
    op.drop_table("named_game")
    op.drop_index("import_by", table_name="import")
    op.drop_index("import_begun", table_name="import")
    op.drop_table("import")
    op.drop_index("held_game_import", table_name="held_game")
    op.drop_table("held_game")
    op.drop_table("game_tag")
    op.drop_table("game_position")
    op.drop_table("game_play")
    op.drop_table("game_opening")
    op.drop_table("game_material")
    op.drop_index("game_variant", table_name="game")
    op.drop_index("game_updated", table_name="game")
    op.drop_index("game_termination", table_name="game")
    op.drop_index("game_status", table_name="game")
    op.drop_index("game_sample", table_name="game")
    op.drop_index("game_result", table_name="game")
    op.drop_index("game_rating", table_name="game")
    op.drop_index("game_plies", table_name="game")
    op.drop_index("game_day", table_name="game")
    op.drop_table("game")
    op.drop_table("dead_letter")
    op.drop_table("data_version")
    op.drop_table("continuation")
    op.drop_index("challenge_open", table_name="challenge")
    op.drop_index("challenge_creator", table_name="challenge")
    op.drop_table("challenge")
    op.drop_table("checkpoint")
