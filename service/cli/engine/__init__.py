"""`movelog engine` and `selfplay`: the search as a program, and against itself."""
