"""`movelog verify`: check exports offline."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.records.files import FILE, read_all

KEYS = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.command(short_help="Check offline that an export is unchanged.")
@click.argument("file", type=FILE)
@click.option(
    "--key",
    "key_file",
    type=KEYS,
    help="The service's public keys, as it serves them at /.well-known/movelog-keys.",
)
@click.option(
    "--standings",
    "standings_file",
    type=KEYS,
    help="Standings (JSON or CSV) to compute again from FILE, the log of their tournament.",
)
def verify(file: str, key_file: Path | None, standings_file: Path | None) -> int:
    """Check offline that an export is unchanged since the service wrote it.

    FILE is a game's or a tournament's events (NDJSON) or records (PGN), also packed by gzip or
    zstd, or - for standard input. It checks the chain or the hash, the signature, the commitments
    to secret choices, every action, result, termination and points, and reports the first error
    with its place. Of a tournament it checks that each event was allowed and each pairing legal,
    and computes the standings. Without --key the signature is not checked, and the report says so.

    \b
    Exit status:
      0  everything checked is right
      1  something is wrong
      2  undecided: a part of a game, a record without a hash, or a list
    """
    from service.verification.file import verify_file
    from service.verification.keys import PublicKeys
    from service.verification.report import status_of

    keys = None if key_file is None else PublicKeys.parse(key_file.read_bytes())
    data = read_all(file)
    verdicts = verify_file(data, keys)
    if standings_file is not None:
        from service.verification.standings import verify_standings

        verdicts.append(verify_standings(standings_file.read_bytes(), data, keys))
    for verdict in verdicts:
        click.echo(str(verdict))
    return status_of(verdicts)
