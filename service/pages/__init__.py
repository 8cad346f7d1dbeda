"""Pages for people: rendered on the server from what the API answers, made livelier by scripts.

They may decide nothing and read no store: all data comes through the API, with the token of the
reader, so that anyone could write them again. Positions are drawn by `service.boards`.
"""
