"""The figures of `docs/performance.md`: `python -m benchmarks`, or `make bench`.

Machines are noisy, so a candidate and its baseline are measured in turn, round after round, in one
run, and the figure is the median of the rounds' ratios. No figure is an absolute time.
`python -m benchmarks.servers` compares server programs, given by their paths, and
`python -m benchmarks.board` compares the pages with those of a given revision.
"""
