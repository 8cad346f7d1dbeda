"""The computer as an opponent: its levels, how it chooses an action, and when it agrees or resigns.

It decides nothing of a game: `workers.computer` sends its commands, as anybody's are sent. Web
processes, which never search, do not import `choosing`.
"""
