"""The time by which games are played and jobs are leased: the store's clock, and the outages.

It knows the store; what clocks mean for a game is in `service.game.timekeeping`.
"""
