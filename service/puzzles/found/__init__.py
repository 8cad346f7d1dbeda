"""Puzzles found in games of the service: an entity for each game that was searched.

They are in the log because they cannot be derived: another search might find others. Lists are
projected from the events (`service.projection.puzzles`).
"""
