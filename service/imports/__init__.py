"""Imports: files of records, imported by durable jobs, with a verdict for each game.

- `events`, `state`, `errors`: the entity; `repository` loads and changes it
- `uploads`: the files, on a disk (`local_files`) or in an object store (`stored_files`);
  `decompression` reads them in small steps
- `parsing`: from a section of a file to a checked record; pure
- `verdicts`: what became of each game, in a separate file

The job itself is `workers.import_job`; `workers.record_importer` appends the games to the log.
"""
