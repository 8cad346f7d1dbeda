"""Commands that answer from the rules alone: perft, positions, captures."""
