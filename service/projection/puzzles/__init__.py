"""Puzzles as they are found and listed, and the ratings that attempts at them make."""
