"""The service: turns commands into events, and holds the log, projections, HTTP and command line.

`game`, `player` are pure (no Flask, no Redis); `log` keeps events; `api` speaks HTTP. Search
never runs here (that is `workers`).
"""
