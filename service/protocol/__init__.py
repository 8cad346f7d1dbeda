"""The engine's line protocol (`docs/engine-protocol.md`), in the manner of UCI.

`commands` reads lines, `lines` writes and reads what the engine says, `engine` answers, and
`process` talks to an engine that runs in a process of its own.
"""
