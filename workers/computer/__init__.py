"""The duty that plays the computer's games: it accepts challenges, thinks and answers in time.

`following` finds the games, `turns` says what is to be done in one, `thinking` searches in
processes that give way to all others, and `playing` sends the commands, as anybody's are sent.
"""
