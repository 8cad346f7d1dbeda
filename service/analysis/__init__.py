"""Analyses: positions and games searched in the background, for what their viewer may know.

`parameters`, `events`, `state`, `judging`, `report`, `annotating` and `chart` are pure; `target`
says what is analysed and as whom, `address` which requests are the same, `analyses` is what the
API and the worker share. Nothing here searches but `searching`, which the web never imports.
"""
