"""Standings: scores, tie-breaks that explain themselves, cross tables, what a change changed. Pure.

Tie-breaks follow FIDE's Tie-Break Regulations (handbook C.07), whose articles are named where they
are carried out; `term.Edition` says which editions are known.
"""
