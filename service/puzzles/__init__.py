"""Puzzles: positions of ended games in which one action wins, or gains, and no other does.

`finding` searches for them, for workers and developers; all else is pure or reads what was found.
"""
