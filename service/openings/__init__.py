"""The operator's table of openings: read from a file, checked, and kept in the log.

It names positions; which games reached them is for projections to know.
"""
