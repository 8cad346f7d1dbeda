"""Puzzles as they are found and listed, and the ratings that follow from attempts at them."""
