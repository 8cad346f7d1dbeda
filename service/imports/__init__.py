"""Imports: files of records taken in as durable jobs, with a verdict for each game.

`fingerprint` and `preparing` are pure; `uploads` and `verdicts` keep what lies on disk, `unpacking`
reads it in small steps, `taking` appends games to the log, `turns` says whose import is next,
`imports` is what the API and the worker share. The job's loop itself is `workers.importing`.
"""
