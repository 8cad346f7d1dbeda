"""Ratings: Glicko-2, computed period by period from finished games. Pure.

A period is rated once it is closed, from the ratings at its beginning and all its games at once,
so that nothing depends on the order in which games were read.
"""
