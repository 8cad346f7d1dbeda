"""`movelog challenge`: finding an opponent on a running service."""
