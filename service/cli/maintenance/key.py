"""`movelog key`: rotate the keys that seal secret choices and sign exports."""

from __future__ import annotations

from functools import partial

import click

from service.cli.options import data_dir, load_existing_settings
from service.cli.progress import show_progress


@click.group(short_help="Rotate the keys of secret choices and of signatures.")
def key() -> None:
    """Rotate the keys that seal secret choices and sign exports."""


@key.command(short_help="Seal all secret choices with a new key.")
@data_dir
def rotate(data_dir: str | None) -> None:
    """Seal all secret choices with a new key, and forget the old one.

    The service may be running or stopped; if interrupted, run it again. Older backups still hold
    the old key with what it sealed.
    """
    from service.composition.service import compose
    from service.operations.choice_key_rotation import rotate as rotate_key
    from service.operations.reachable_store import reach_store
    from service.secrets.fingerprints import note_keys
    from service.secrets.vault import Vault

    with reach_store(load_existing_settings(data_dir)) as settings, show_progress("game") as show:
        vault = Vault(settings.choice_key_file)
        service = compose(settings)
        note = partial(note_keys, service.store, settings, service.signer.key_ids)
        resealed = rotate_key(service.log, vault, show, note=note)
    click.echo(f"{resealed} secrets sealed with a new key")


@key.command(short_help="Sign exports with a new key.")
@data_dir
def rotate_signing(data_dir: str | None) -> None:
    """Sign exports with a new key, and forget the old private key.

    Older signatures stay verifiable: the old public key is still served. A running service picks
    up the new key by itself.
    """
    from service.composition.service import compose
    from service.operations.reachable_store import reach_store
    from service.secrets.fingerprints import note_keys

    with reach_store(load_existing_settings(data_dir)) as settings:
        service = compose(settings)
        key = service.signer.rotate()
        note_keys(service.store, settings, service.signer.key_ids)
    click.echo(f"exports are signed with the key {key}")
