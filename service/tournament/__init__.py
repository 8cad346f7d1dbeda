"""Tournaments: their entity, and the pure rules of pairing, standings and reports.

`table`, `scheme`, `pairing`, `standings` and `trf` are functions of frozen values: they know no
store, no HTTP and no clock. What a tournament *is* stands in its event log; a `table.Table` is
what those rules read of it.
"""
