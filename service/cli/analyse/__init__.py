"""`movelog analyse`: searches of positions, files and the service's games."""
