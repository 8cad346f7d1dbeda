"""What the search played from positions of openings, in games against itself.

The files `VARIANT.txt` beside this are made by `python -m training openings`.
"""
