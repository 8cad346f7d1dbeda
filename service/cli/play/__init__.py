"""`movelog play`: submit recorded games to a running service, move by move."""
