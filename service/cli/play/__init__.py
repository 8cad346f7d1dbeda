"""`movelog play`: recorded games submitted to a running service, move by move."""
