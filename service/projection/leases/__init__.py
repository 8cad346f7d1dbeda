"""Which process projects which partitions: leases in Redis, so that any number can run at a time.

They only share the work out. That nothing is written twice, or by a process whose lease is over, is
for the checkpoints, which move by compare-and-set in the transaction that writes the rows.
"""
