"""Pages for people: rendered on the server from the API's answers, made livelier by scripts.

They may decide nothing and read no store: all data comes through the API, with the reader's token,
so that anyone could write such pages. Positions are drawn by `service.boards`.
"""
