"""Analyses: positions and games searched in the background, for what their viewer may know.

`parameters`, `events`, `state`, `judgement`, `report`, `annotation` and `chart` are pure; `target`
says what is analysed and as whom, `quota` how much one player may have under way, `repository` is
what the API and the worker share. Only `search` searches, and the web never imports it.
"""
