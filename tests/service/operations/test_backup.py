"""Backup and restore, on a real Redis."""

from __future__ import annotations

import gzip
import io
import json
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import randbytes
from typing import Any

import pytest
import redis

from engine.side import Side
from notation.registry import find_dialect
from service.accounts.account import Way
from service.accounts.errors import NameInUse
from service.accounts.visitor import Visitor
from service.composition.service import Service, compose
from service.errors import NotFound
from service.game.commands import CreateGame, PlayAction, Resign
from service.ids import keyed_digest, new_id
from service.imports.state import ImportEnding, ImportMode
from service.log.errors import PartitionMismatch
from service.log.redis import PARTITIONS_KEY
from service.log.values import Append, Receipt, StreamId
from service.mail.store import Subscriptions
from service.mail.subscription import EVENTS, Pace, digest_address
from service.openings.values import Opening
from service.operations.admin import make_first_admin
from service.operations.backup import back_up
from service.operations.backup_errors import DamagedBackup, NotEmpty
from service.operations.backup_file import read_lines, write_archive
from service.operations.restore import restore
from service.player.actor import Actor
from service.player.scopes import PLAY, SCOPES
from service.puzzles.withdrawals.commands import WithdrawPuzzle
from service.puzzles.withdrawals.events import PuzzleWithdrawn
from service.secrets.errors import KeyStillNeeded, NoKeys
from service.secrets.key_source import KeyFile
from service.secrets.vault import make_choice_key
from service.settings import Settings
from service.webhooks.store import PATIENCE
from service.webhooks.webhook import Attempt
from tests.service.imports.uploads import read_original

Emptied = Callable[[], Settings]
PASSWORD = "correct horse battery"
HOME = Visitor("192.0.2.1", "Firefox on Linux")


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


def played_game(service: Service, actions: int = 3) -> str:
    """Create and play a game of two unclaimed players, with an idempotency key; returns its id."""
    scribe = Actor(service.players.register("Scribe", None).id, frozenset({PLAY}))
    seats = [service.players.unclaimed(name, scribe.player) for name in ("Ada", "Zoë")]
    command = CreateGame(variant="katruji", mode="scribe", first=seats[0], second=seats[1])
    receipt = Receipt(keyed_digest(service.secret, "key"), "body", 201, 0, 0)
    id = new_id()
    state = service.games.create(id, command, scribe, receipt).state
    for _ in range(actions):
        token = find_dialect("katruji").coordinate(state.position.legal()[0])
        state = service.games.execute(id, PlayAction(token=token), scribe).state
    return id


def content(service: Service) -> dict[bytes, Any]:
    """Every key of the log that holds events or data beside them, with its content."""
    store = service.store
    found: dict[bytes, Any] = {}
    for key in store.scan_iter(match="movelog:{p*"):
        match store.type(key):
            case b"stream":
                found[key] = store.xrange(key)
            case b"hash":
                found[key] = store.hgetall(key)
    return found


def test_a_restored_log_is_the_same(service: Service, emptied: Emptied, tmp_path: Path) -> None:
    make_first_admin(service)
    for _ in range(5):
        played_game(service)
    before = content(service)
    file = tmp_path / "backup.gz"
    streams = back_up(service.settings, file, silent)
    assert file.stat().st_mode & 0o777 == 0o600

    settings = emptied()
    assert restore(settings, file, silent) == streams
    restored = compose(settings)
    assert content(restored) == before
    assert restored.secret == service.secret
    assert restored.signer.key == service.signer.key
    assert settings.signing_key_file.stat().st_mode & 0o777 == 0o600
    token = settings.admin_token_file.read_text()
    assert token == service.settings.admin_token_file.read_text()
    assert restored.bearers.authenticate(token.strip()).actor.scopes == frozenset(SCOPES)
    assert back_up(settings, tmp_path / "again.gz", silent) == streams


def test_streams_of_every_form_of_id_are_in_the_backup(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    """Every entity's id is in a backup, not only those that `new_id` makes."""
    withdrawn = ("09020fa909", "abcdef2345", "0123456789")
    for puzzle in withdrawn:
        command = WithdrawPuzzle(variant="katruji", reason="wrong")
        service.withdrawals.withdraw(puzzle, command, "ada")
    odd = StreamId("withdrawal", "Odd_id-9.x")
    event = PuzzleWithdrawn(variant="katruji", reason="")
    service.log.append(Append(stream=odd, expected=0, events=[event], at=1, by="ada"))
    before = content(service)
    assert back_up(service.settings, tmp_path / "backup.gz", silent) == len(withdrawn) + 1
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    restored = compose(settings)
    assert content(restored) == before
    assert all(restored.withdrawals.load(puzzle).in_force for puzzle in withdrawn)


def test_accounts_are_in_the_backup(service: Service, emptied: Emptied, tmp_path: Path) -> None:
    ada = service.accounts.register("Ada", PASSWORD, HOME)
    session = service.accounts.begin_session(ada, Way.PASSWORD, HOME)
    guest = service.accounts.register_guest("")
    kept = service.accounts.begin_session(guest, Way.GUEST, HOME)
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    restored = compose(settings)
    assert restored.accounts.sign_in("ada", PASSWORD, HOME) == ada
    for bearer, player in ((session, ada), (kept, guest)):
        assert restored.bearers.authenticate(bearer).actor.player == player
    with pytest.raises(NameInUse):
        restored.accounts.register("Ada", PASSWORD, HOME)


def test_a_table_of_openings_is_in_the_backup(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    table = service.openings.replace([Opening("kerd", "Walk", ("e2e3",), "W1")], "operator")
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    assert compose(settings).openings.load() == table


def test_a_backup_beside_writers_tears_nothing(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    games = [played_game(service) for _ in range(4)]

    def write(done: int, total: int) -> None:
        """Append to streams already copied and to streams not yet copied, and create new ones."""
        for id in games:
            state = service.games.load(id)
            if state.ending is None:
                actor = Actor(state.creator, frozenset({PLAY}))
                service.games.execute(id, Resign(side=Side(state.position.side)), actor)
                break
        played_game(service)

    file = tmp_path / "backup.gz"
    back_up(service.settings, file, write)
    settings = emptied()
    restore(settings, file, silent)
    restored = compose(settings)
    announced: dict[StreamId, int] = {}
    for partition in range(restored.log.partitions):
        for pointer in restored.log.feed(partition):
            assert pointer.first == announced.get(pointer.stream, 0) + 1
            announced[pointer.stream] = pointer.last
    for kind in ("game", "player"):
        for stream in restored.log.streams(kind):
            assert announced.pop(stream) == restored.log.version(stream)
    assert not announced
    for stream in restored.log.streams("game"):
        state = restored.games.load(stream.id)
        restored.players.exist([state.creator, *filter(None, state.seats)])


def imported(service: Service, data: bytes) -> str:
    """An ended import of these bytes, with a verdict; returns its id."""
    id = new_id()
    imports = service.imports
    with imports.uploads.receive(io.BytesIO(data)) as received:
        state = imports.begin(id, received, ImportMode.QUARANTINE, "ann", None)
    imports.verdicts(state).add([{"number": 1, "status": "accepted"}])
    imports.end(state, ImportEnding.DONE, {"accepted": 1})
    return id


def test_the_files_of_imports_come_back(
    service: Service, emptied: Emptied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.operations.backup_imports.PIECE", 1000)
    files = {imported(service, data): data for data in (b"", b"x" * 1000, randbytes(2500))}
    discarded = imported(service, b"gone")
    service.imports.uploads.discard(discarded)
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    for _ in range(2):
        restore(settings, tmp_path / "backup.gz", silent)
        restored = compose(settings).imports
        for id, data in files.items():
            assert read_original(restored.uploads, id) == data
            folder = settings.data_dir / "imports" / id
            assert folder.stat().st_mode & 0o777 == 0o700
            assert {file.name for file in folder.iterdir()} == {"original", "verdicts.ndjson"}
            verdicts = list(restored.verdicts(restored.load(id)).lines())
            assert [verdict["status"] for verdict, _ in verdicts] == ["accepted"]
        with pytest.raises(NotFound):
            restored.uploads.open_original(discarded)
        # The next restore is over its own files, as after one that was broken off.
        assert settings == emptied()


def test_webhooks_come_back_with_what_was_sent(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    webhooks = service.webhooks
    made = [
        webhooks.register("ann", f"https://{name}.example/", ("game-finished",), False)
        for name in ("one", "two")
    ]
    webhooks.rotate(made[0].id)
    webhooks.note(made[0].id, Attempt("d", "game-finished", 1, 5, 7, 500, None, None))
    webhooks.note(made[0].id, Attempt("e", "game-finished", 1, PATIENCE + 5, 7, 500, None, None))
    before = webhooks.all(), [webhooks.attempts(hook.id, 10) for hook in made]
    assert webhooks.get(made[0].id).disabled
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    after = compose(settings).webhooks
    assert (after.all(), [after.attempts(hook.id, 10) for hook in made]) == before


def test_addresses_come_back_and_go_with_their_players(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    store = service.store
    subscriptions = Subscriptions(store, service.jobs.clock, service.secret, enabled=True)
    for player in ("ann", "bob"):
        address = f"{player}@club.example"
        subscriptions.subscribe(player, address, EVENTS, Pace.DAILY, HOME.address)
    subscriptions.confirm("ann", digest_address(service.secret, "ann@club.example"))
    before = [subscriptions.find(player) for player in ("ann", "bob")]
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    after = compose(settings)
    known = Subscriptions(after.store, after.jobs.clock, after.secret, enabled=True)
    assert [known.find(player) for player in ("ann", "bob")] == before
    assert known.find_active(EVENTS, ["ann", "bob"]) == {"ann"}


def test_a_backup_of_the_first_form_is_restored(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    """That form has neither imports' files nor webhooks."""
    played_game(service)
    before = content(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    kept = [line for line in read_lines(file) if "webhooks" not in line]
    with write_archive(file, {"partitions": 64}) as archive:
        for line in kept:
            archive.add(line)
    text = gzip.decompress(file.read_bytes()).replace(b"-backup/2", b"-backup/1").splitlines(True)
    end = {"end": len(text) - 1, "sha256": sha256(b"".join(text[:-1])).hexdigest()}
    file.write_bytes(gzip.compress(b"".join([*text[:-1], json.dumps(end).encode() + b"\n"])))
    settings = emptied()
    restore(settings, file, silent)
    assert content(compose(settings)) == before


def test_a_used_store_is_not_restored_into(service: Service, tmp_path: Path) -> None:
    played_game(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    before = content(service)
    with pytest.raises(NotEmpty) as refused:
        restore(service.settings, file, silent)
    assert str(refused.value) == (
        "the store holds 1 games and 3 players, and a backup can only be restored into an empty"
        " one: use another data directory or Redis"
    )
    assert content(service) == before


def test_a_damaged_backup_changes_nothing(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    played_game(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    file.write_bytes(file.read_bytes()[:-100])
    settings = emptied()
    with pytest.raises(DamagedBackup):
        restore(settings, file, silent)
    with redis.Redis.from_url(settings.redis_url) as store:
        assert store.dbsize() == 0
    assert not settings.data_dir.exists()


def test_a_stream_of_receipts_alone_is_kept(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    stream = StreamId("import", new_id())
    receipt = Receipt("digest", "body", 200, 0, 0)
    service.log.append(Append(stream=stream, expected=0, events=(), at=1, by="a", receipt=receipt))
    assert back_up(service.settings, tmp_path / "backup.gz", silent) == 1
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    kept = compose(settings).log.receipt(stream, "digest")
    assert kept is not None
    assert (kept.fingerprint, kept.status) == ("body", 200)


def test_another_number_of_partitions_is_refused(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    with redis.Redis.from_url(settings.redis_url) as store:
        store.set(PARTITIONS_KEY, 8)
    with pytest.raises(PartitionMismatch):
        restore(settings, tmp_path / "backup.gz", silent)


def test_a_backup_without_the_key_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        back_up(settings, tmp_path / "backup.gz", silent)
    assert list(tmp_path.glob("*backup*")) == []


@pytest.mark.parametrize("replaced", [False, True])
def test_without_the_choice_key_there_is_no_backup(
    service: Service, tmp_path: Path, replaced: bool
) -> None:
    played_game(service)
    kept = service.settings.choice_key_file.read_bytes()
    service.settings.choice_key_file.unlink()
    if replaced:
        service.settings.choice_key_file.write_bytes(make_choice_key())
    with pytest.raises(KeyStillNeeded if replaced else NoKeys):
        back_up(service.settings, tmp_path / "backup.gz", silent)
    assert list(tmp_path.glob("*backup*")) == []
    service.settings.choice_key_file.write_bytes(kept)
    assert back_up(service.settings, tmp_path / "backup.gz", silent)


def test_every_key_used_during_a_backup_is_in_it(service: Service, tmp_path: Path) -> None:
    for _ in range(5):
        played_game(service)
    file = service.settings.choice_key_file
    keys = [file.read_bytes().strip()]

    def rotate(done: int, total: int) -> None:
        if done in (2, 4):
            keys.append(make_choice_key())
            KeyFile(file).replace(keys[-1])

    back_up(service.settings, tmp_path / "backup.gz", rotate)
    lines = read_lines(tmp_path / "backup.gz")
    *_, last = (line["data"] for line in lines if line.get("file") == file.name)
    assert b64decode(last).split() == keys[::-1]


def test_an_admin_token_taken_away_stays_away(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    make_first_admin(service)
    service.settings.admin_token_file.unlink()
    back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    restore(settings, tmp_path / "backup.gz", silent)
    assert settings.secret_file.exists()
    assert not settings.admin_token_file.exists()
