"""Commands that ask a running service: for games, players, positions, or by one raw request."""
