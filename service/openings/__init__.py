"""The operator's table of openings: read from a file, checked, and kept in the log.

It names positions; the projections know which games reached them.
"""
