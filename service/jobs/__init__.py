"""Jobs as durable entities of their own, and the RQ queue that only hints at them.

`store` keeps jobs and their states, `queue` sends hints, `reconciler` repairs what a dead worker
or a lost hint left behind. The functions that do the work are in `workers`, by kind.
"""
