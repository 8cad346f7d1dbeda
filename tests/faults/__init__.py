"""A whole service under faults, judged by the history of what its clients saw.

`nemesis` breaks processes, disk, memory and clock; `players` go on playing and record every
request and its answer in a `history`; `checker` compares the history with the log afterwards.
"""
