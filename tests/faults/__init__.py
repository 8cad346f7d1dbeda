"""A whole service under faults, judged by the history of what its clients saw.

`nemesis` breaks processes, disk, memory and clock. Meanwhile, `players` play and record every
request and its answer in a `history`, which `checker` finally compares with the log.
"""
