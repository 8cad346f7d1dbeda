"""Players' first attempts at puzzles: an entity for each player who has tried any.

Whether an attempt succeeds follows from the actions alone: `decide` tries them itself. Ratings are
projected from the events (`service.projection.puzzles`).
"""
