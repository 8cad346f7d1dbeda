"""Exports checked offline: chain or hash, signature, commitments, rules, result and points.

`events` checks a log as NDJSON, `record` PGN-like records; `replaying` is what the rules say to a
game, `tournament` to a tournament. `standings` computes standings again, `audit` and
`tournament_audit` read a whole archive. Knows no HTTP and no store; `service.records.export` makes
what is checked here. `docs/verification.md` says what is proven.
"""
