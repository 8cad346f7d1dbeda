"""Documentation, and the programs that build it."""
