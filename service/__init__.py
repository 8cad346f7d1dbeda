"""The service: commands to events, the log, projections, HTTP, and the command line.

`game`, `player` are pure (no Flask, no Redis); `log` keeps events; `api` speaks HTTP. Search
never runs here (that is `workers`).
"""
