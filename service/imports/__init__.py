"""Imports: files of records taken in as durable jobs, with a verdict for each game.

`fingerprint` and `preparing` are pure; `uploads` and `verdicts` keep what lies on disk, `taking`
appends games to the log, `imports` is what the API and the worker share. The job's loop itself is
`workers.importing`.
"""
