"""What is read without folding games: built from the feed, at least once, rebuildable any time.

`projector` writes, `game_list` reads. Nothing here decides anything; the log is the truth.
"""
