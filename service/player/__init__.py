"""Players as events and the state they fold into. Pure.

A player's name is not in the log but beside it, so that it can be erased; so are token hashes.
"""
