"""Puzzles found in games of the service: an entity for each game that was gone through.

It is in the log because nothing else tells it: another search might find others. Lists are
projected from the events (`service.projection.puzzles`).
"""
