"""What evaluations have learned: a small network for each game that has one.

`network` is its compiled core, `layout` has the sizes, `files` reads what training wrote.
`docs/evaluation.md` says how it is built, `engine/<game>/features.py` which features it sees.
"""
