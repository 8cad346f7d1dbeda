"""The duty that plays the computer's games: it accepts challenges, thinks and answers in time.

`following` finds the games, `turns` says what has to be done in one, `thinking` searches in
low-priority processes, and `playing` sends the commands, just as any player's are sent.
"""
