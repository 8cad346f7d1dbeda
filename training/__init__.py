"""Fitting the evaluations to games of the search against itself, and to their positions.

For developers only; nothing that is installed imports it. `python -m training` has a command for
each step, and `docs/training.md` describes them.
"""
