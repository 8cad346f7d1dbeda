"""The time by which games are played: the store's, and when nobody was there to take a command.

It knows the store; what clocks mean for a game is in `service.game.timekeeping`.
"""
