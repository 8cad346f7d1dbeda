"""Commands that query a running service: for games, players and positions, or by a raw request."""
