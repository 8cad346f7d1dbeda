"""The database of the read models: SQLite or PostgreSQL, with one schema."""

from __future__ import annotations

from typing import Final

FOLDER: Final = "archive"
"""The folder of the data directory where SQLite's files are."""
