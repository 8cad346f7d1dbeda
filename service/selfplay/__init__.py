"""Matches between two settings of the search, or two builds of it, and what they prove.

It knows neither HTTP nor Redis. `player` chooses actions, `opening` makes the positions in which
games begin, `match` plays each opening with both sides, `statistics` says what the results are
worth.
"""
