"""`movelog key`: the keys that secret choices are sealed and exports signed with."""

from __future__ import annotations

from functools import partial

import click

from service.cli.options import data_dir, settings_of
from service.cli.progress import counting


@click.group(short_help="The keys of secret choices and of signatures.")
def key() -> None:
    """The keys that secret choices are sealed and exports signed with."""


@key.command(short_help="Seal all secret choices with a new key.")
@data_dir
def rotate(data_dir: str | None) -> None:
    """Seal all secret choices with a new key, and forget the old one.

    Works beside a running service and without one; broken off, it can be begun again. Backups
    made before hold the old key with what it has sealed.
    """
    from service.composition import compose
    from service.operations.reach import reachable
    from service.operations.rotation import rotate as rotate_key
    from service.secrets.fingerprints import note_keys
    from service.secrets.vault import Vault

    with reachable(settings_of(data_dir)) as settings, counting("game") as show:
        vault = Vault(settings.choice_key_file)
        service = compose(settings)
        note = partial(note_keys, service.store, settings)
        resealed = rotate_key(service.log, vault, show, note=note)
    click.echo(f"{resealed} secrets sealed with a new key")


@key.command(short_help="Sign exports with a new key.")
@data_dir
def rotate_signing(data_dir: str | None) -> None:
    """Sign exports with a new key; the old one can sign nothing more.

    What it has signed stays verifiable: its public part is served with the new one's. Running
    services take the new key up by themselves.
    """
    from service.composition import compose
    from service.operations.reach import reachable
    from service.secrets.fingerprints import note_keys

    with reachable(settings_of(data_dir)) as settings:
        service = compose(settings)
        key = service.signer.rotate()
        note_keys(service.store, settings)
    click.echo(f"exports are signed with the key {key}")
