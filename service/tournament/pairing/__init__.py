"""Who meets whom: Berger tables, the Dutch Swiss system, knockout. Pure.

Each is a function from a `table.Table`, or from a list of entrants, to the boards of a round.
"""
