"""The feed of all games: what everybody may see of their events, in one sequence that resumes.

It is read from the log, undecoded. A `position` says how much of it a reader has had, a `filter`
which games and events the reader wants. It decides nothing, and knows no HTTP.
"""
