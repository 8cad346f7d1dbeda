"""Puzzles: positions of ended games in which exactly one action wins, or gains.

`finding` searches for them, for workers and developers; everything else is pure or reads what was
found.
"""
