"""Matches between two settings of the search, or two builds of it, and what they prove.

It knows neither HTTP nor Redis. `player` chooses actions, `match` plays games with openings
reversed, `statistics` says what the results are worth.
"""
