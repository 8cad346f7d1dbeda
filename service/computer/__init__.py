"""The computer as an opponent: its levels, how it chooses an action, and when it agrees or resigns.

It has no authority over games: `workers.computer` sends its commands like those of any player.
Web processes, which never search, do not import `choosing`.
"""
