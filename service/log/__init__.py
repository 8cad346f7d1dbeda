"""The event log: append-only streams with expected versions, and the feed that announces them.

`EventLog` is the interface; `memory` implements it in the process, `redis` in Redis Streams.
"""
