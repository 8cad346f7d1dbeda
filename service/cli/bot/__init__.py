"""`movelog bot`: play a player's games on a service with an engine."""
