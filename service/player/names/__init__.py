"""What a player may be called, and which names look alike: UTS #39 on Unicode's own tables. Pure.

`name_policy` refuses names that nobody may choose; `skeleton` gives look-alike names the same key;
`scripts` finds words that mix scripts; `table` reads `unicode.txt`, which `generate` makes.
"""
