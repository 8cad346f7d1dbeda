"""Leases in Redis: which process projects which partitions, so that any number can run at a time.

They only divide the work. It is the checkpoints that keep rows from being written twice, or by a
process whose lease is over: they move by compare-and-set in the transaction that writes the rows.
"""
