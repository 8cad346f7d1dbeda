"""Pictures of positions as SVG, drawn from the geometry that the engine computes with.

Each game has one module that fills the interface in `board.py`; `svg.py` draws any of them. Pure:
it reads position strings and its own files, and knows neither HTTP nor Redis.
"""
