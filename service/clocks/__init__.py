"""The time by which games are played: the store's clock, and the service's outages.

It knows the store; what clocks mean for a game is in `service.game.timekeeping`.
"""
