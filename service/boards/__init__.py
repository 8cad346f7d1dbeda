"""Pictures of positions as SVG, drawn from the geometry that the engine computes with.

Each game has one module that implements the interface in `board.py`; `svg.py` draws any of them.
Pure: it reads position strings and its own files, and uses neither HTTP nor Redis.
"""
