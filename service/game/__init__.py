"""A game as commands, events and the state they fold into. Pure: no HTTP, no Redis, no clock.

`decide(state, command, actor)` gives events or an error, `evolve(state, recorded)` folds one event.
"""
