"""Players as events and the state they fold into. Pure.

A player's name is kept beside the log, not in it, so that it can be erased; so are token hashes.
"""
