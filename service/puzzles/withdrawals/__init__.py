"""Puzzles that admins withdraw, such as one whose solution is wrong: an entity for each of them.

A puzzle may be withdrawn wherever it comes from, and restored.
"""
