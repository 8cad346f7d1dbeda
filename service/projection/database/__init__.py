"""The database of the read models: SQLite or PostgreSQL, with one schema."""
