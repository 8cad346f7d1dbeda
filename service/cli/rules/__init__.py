"""Commands that need only the rules: perft, positions, captures."""
