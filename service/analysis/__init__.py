"""Analyses: positions and games searched in the background, using only what the viewer may know.

`parameters`, `events`, `state`, `judgement`, `report`, `annotation` and `chart` are pure; `target`
determines what is analysed and for whom, `quota` bounds how much one player may have under way, and
the API and the worker share `repository`. Only `search` searches, and the web never imports it.
"""
