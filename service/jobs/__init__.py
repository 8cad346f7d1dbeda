"""Jobs as durable entities of their own, and the RQ queues that only hint at them.

`store` keeps jobs and their states, `duties` parts them, `queue` sends hints, `ended` asks for what
is to be done with ended games, `reconciler` repairs what a dead worker or a lost hint left behind.
The functions that do the work are in `workers`, by kind.
"""
