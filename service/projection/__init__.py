"""The read models: what is read without folding games.

They are built from the feed, each change at least once, and can be rebuilt at any time. `projector`
writes them, `game_list` reads them. Nothing here decides anything; the log is the truth.
"""
