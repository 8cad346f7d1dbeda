"""Jobs as durable entities, and the RQ queues that only hint at them.

`store` keeps jobs and their states, `duties` groups them, `queue` sends hints,
`fair_queue` decides whose job is next, and `reconciler` repairs what a dead worker or a lost hint
left behind. The functions that do the work are in `workers`, by kind.
"""
