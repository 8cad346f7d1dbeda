"""Exports checked offline: chain or hash, signature, commitments, rules, result and points.

`events` checks a game's log as NDJSON, `record` PGN-like records, `replaying` what the rules say
to either, `audit` a whole archive. Knows no HTTP and no store; `service.records.export` makes what
is checked here. `docs/verification.md` says what is proven.
"""
