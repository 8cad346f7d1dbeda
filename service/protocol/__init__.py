"""The engine's line protocol (`docs/engine-protocol.md`), similar to UCI.

`commands` reads lines, `lines` writes and reads what the engine says, `engine` answers, and
`process` talks to an engine that runs in its own process.
"""
