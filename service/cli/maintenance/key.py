"""`movelog key`: make, rotate and list the service's keys."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.options import data_dir, load_existing_settings
from service.cli.progress import show_progress

FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
ANYWAY = click.option(
    "--anyway", is_flag=True, help="Skip the check that every running process has the key."
)


@click.group(short_help="Make, rotate and list the service's keys.")
def key() -> None:
    """Make, rotate and list the service's keys.

    A service whose keys lie in its data directory needs only `rotate` and `rotate-signing`. Where
    the keys are given (MOVELOG_CHOICE_KEYS_FILE and so on), `add` a key and give the file to every
    process, `rotate`, then `drop` the old key.
    """


@key.command(short_help="Make the three key files for a new service.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def make(folder: Path) -> None:
    """Make secret.key, choice.key and signing.key in FOLDER, to be given to every process.

    Nothing is replaced.
    """
    from service.operations.given_key_files import make_key_files

    for file in make_key_files(folder):
        click.echo(str(file))


@key.command(name="list", short_help="List the service's keys by their fingerprints.")
@data_dir
def list_(data_dir: str | None) -> None:
    """List the service's keys by their fingerprints, and what each is for."""
    from service.composition.service import compose
    from service.operations.key_list import list_keys
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        service = compose(settings)
        for name, fingerprint, state in list_keys(service.store, settings, service.signer):
            click.echo(f"{name:<12}{fingerprint:<45}{state}")


@key.command(short_help="Add a new key to a file, before its others.")
@FILE
def add(file: Path) -> None:
    """Add a new key before the others in FILE, a choice.key or signing.key that is given.

    No process uses it before `movelog key rotate` or `rotate-signing`.
    """
    from service.operations.given_key_files import add_key

    click.echo(f"the key {add_key(file)} was added in front: give the file to every process now")


@key.command(short_help="Drop a file's old keys.")
@FILE
@data_dir
def drop(file: Path, data_dir: str | None) -> None:
    """Drop all keys but the first from FILE, a choice.key or signing.key that is given.

    Refused as long as the service needs one of them. Public parts of signing keys stay, so that
    older signatures can be verified.
    """
    from service.operations.given_key_files import drop_old_keys
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        dropped = drop_old_keys(file, settings)
    click.echo(f"{dropped} old keys were dropped: give the file to every process now")


@key.command(short_help="Seal all secret choices with a new key.")
@ANYWAY
@data_dir
def rotate(data_dir: str | None, anyway: bool) -> None:
    """Seal all secret choices with a new key, and forget the old one.

    Where the keys are given, the new key is the first in MOVELOG_CHOICE_KEYS, and the old one is
    forgotten when you drop it. Refused while a running process lacks the new key. The service may
    be running or stopped; if interrupted, run it again. Older backups still hold what the old key
    sealed.
    """
    from service.composition.service import compose
    from service.operations.choice_key_rotation import rotate as rotate_key
    from service.operations.choice_key_rotation import seal_with_newest
    from service.operations.key_spread import refuse_unspread
    from service.operations.reachable_store import reach_store
    from service.secrets.fingerprints import list_choice_keys
    from service.secrets.key_holders import KeyHolders
    from service.secrets.key_source import find_key_sources
    from service.secrets.stored_keys import StoredKeys
    from service.secrets.vault import Vault

    with reach_store(load_existing_settings(data_dir)) as settings, show_progress("game") as show:
        sources = find_key_sources(settings)
        service = compose(settings)
        if sources.choice.given and not anyway:
            refuse_unspread(KeyHolders(service.store), list_choice_keys(sources.choice)[0])
        carry_out = seal_with_newest if sources.choice.given else rotate_key
        stored = StoredKeys(service.store)
        resealed = carry_out(service.log, Vault(sources.choice), show, stored)
    click.echo(f"{resealed.attributes} secrets sealed with a new key")
    if resealed.left:
        click.echo(
            "files below attributes/ of the object store that no archived game of this service"
            f" needs, left as they are: {resealed.left}"
        )


@key.command(short_help="Sign exports with a new key.")
@ANYWAY
@data_dir
def rotate_signing(data_dir: str | None, anyway: bool) -> None:
    """Sign exports with a new key, and forget the old private key.

    Where the keys are given, the new key is the first in MOVELOG_SIGNING_KEYS, and it is refused
    while a running process lacks it. Older signatures stay verifiable: the old public key is still
    served. A running service picks up the new key by itself.
    """
    from service.composition.service import compose
    from service.operations.key_spread import refuse_unspread
    from service.operations.reachable_store import reach_store
    from service.secrets.key_holders import KeyHolders
    from service.secrets.key_source import find_key_sources
    from service.secrets.stored_keys import StoredKeys

    with reach_store(load_existing_settings(data_dir)) as settings:
        service = compose(settings)
        source = find_key_sources(settings).signing
        if source.given and not anyway:
            refuse_unspread(KeyHolders(service.store), service.signer.key_ids[0])
        key = service.signer.key_ids[0] if source.given else service.signer.rotate()
        StoredKeys(service.store).note({source.name: key})
    click.echo(f"exports are signed with the key {key}")
