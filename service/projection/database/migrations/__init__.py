"""Alembic's migrations of the tables of the read models."""
