"""What the search played from opening positions in games against itself.

The files `VARIANT.txt` in this folder are made by `python -m training openings`.
"""
