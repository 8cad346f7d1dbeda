"""The feed of all games: the public part of their events, in one resumable sequence.

It is read from the log without decoding. A `position` says how much of it a reader has received, a
`filter` which games and events the reader wants. This package decides nothing and knows no HTTP.
"""
