"""Exports checked offline: chain or hash, signature, commitments, rules, result and points.

`events` checks a log as NDJSON, `record` checks PGN-like records. `replaying` checks a game against
the rules, `tournament` a tournament. `standings` recomputes standings, `audit` and
`tournament_audit` read a whole archive. Knows no HTTP and no store; `service.records.export` makes
what is checked here. `docs/verification.md` says what is proven.
"""
