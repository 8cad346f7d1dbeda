"""Records: what proves them, and what is found in changed ones."""

from __future__ import annotations

from hashlib import sha256

import pytest

from notation.reader import read_game
from service.game.importing import HASH_TAG, RULES_TAG, SIGNATURE_TAG, import_command
from service.game.values import Mode
from service.verification.changed_byte import MAX_HASHED, ChangedBytes
from service.verification.errors import Location, Unverifiable, Wrong
from service.verification.keys import PublicKeys
from service.verification.record import verify_records
from service.verification.report import UNSIGNED, status_of
from tests.service.game.support import ID, SCRIBE, new_game
from tests.service.verification.support import NONCES, Archive, changed


def fault(data: bytes, keys: PublicKeys | None) -> Wrong:
    """The fault found in an export of one record."""
    (verdict,) = verify_records(data, keys)
    assert isinstance(verdict.error, Wrong), verdict.error
    assert verdict.status == 1
    return verdict.error


def place_of(data: bytes, text: bytes) -> Location:
    """Line and column of a text in the data, from 1."""
    at = data.index(text)
    return Location(data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at))


def position(place: Location) -> tuple[int | None, int | None]:
    """Line and column of a place."""
    return place.line, place.column


def difference(one: bytes, other: bytes) -> tuple[int | None, int | None]:
    """Line and column of the only byte in which two texts differ."""
    (at,) = (n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return position(Location(one.count(b"\n", 0, at) + 1, at - one.rfind(b"\n", 0, at)))


def without(data: bytes, tag: str) -> bytes:
    """A record without one of its tags."""
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(f"[{tag} ".encode()))


@pytest.fixture
def record(katruji: Archive) -> bytes:
    return katruji.record()


def test_the_hash_is_that_of_the_text_without_the_record_tags(record: bytes) -> None:
    bare = without(without(record, HASH_TAG), SIGNATURE_TAG)
    assert read_game(record.decode()).tags[HASH_TAG] == sha256(bare).hexdigest()


def test_the_tags_stand_in_their_order(record: bytes) -> None:
    names = [line[1:].split(b" ")[0].decode() for line in record.split(b"\n\n")[0].split(b"\n")]
    assert names[8:] == sorted(names[8:])
    assert {HASH_TAG, SIGNATURE_TAG, RULES_TAG} < set(names)


def test_an_untouched_record_is_verified(katruji: Archive, kerd: Archive, record: bytes) -> None:
    for data, keys in ((record, katruji.keys), (kerd.record(), kerd.keys)):
        (verdict,) = verify_records(data, keys)
        assert (verdict.error, verdict.status, len(verdict.proven)) == (None, 0, 3)
        (unsigned,) = verify_records(data, None)
        assert (unsigned.status, UNSIGNED in unsigned.proven) == (0, True)


def test_a_game_that_goes_on_is_signed_too(empty: Archive) -> None:
    empty.games.create(ID, new_game(Mode.SCRIBE, variant="kerd"), SCRIBE)
    (verdict,) = verify_records(empty.record(), empty.keys)
    assert verdict.error is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"1. Pa4", b"1. Pb4"),
        (b" Pd5", b" Pd4"),
        (b" Sab3", b" Sab9"),
        (b"better", b"bitter"),
        (b"a word on a3b3", b"a Word on a3b3"),
        (b'[Result "0-1"]', b'[Result "1-1"]'),
        (b"0-1\n", b"1-1\n"),
        (b'[Termination "resignation"]', b'[Termination "resignetion"]'),
        (b'[NorthPoints "0"]', b'[NorthPoints "1"]'),
        (b'[Rules "1"]', b'[Rules "2"]'),
        (b"Prvo kolo", b"Prvo kola"),
        ("Ž".encode(), "\u013d".encode()),
        (b"\n\n1. ", b"\n 1. "),
        (b"[Variant", b"{Variant"),
    ],
)
def test_a_changed_byte_is_named(katruji: Archive, record: bytes, old: bytes, new: bytes) -> None:
    data = changed(record, old, new)
    for keys in (katruji.keys, None):
        assert position(fault(data, keys).place) == difference(record, data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'[WhiteNonce "{NONCES[0]}"]'.encode(), f'[WhiteNonce "1{NONCES[0][1:]}"]'.encode()),
        (b'[BlackInfiltrator "c2"]', b'[BlackInfiltrator "b2"]'),
    ],
)
def test_a_changed_choice_or_nonce_is_named(kerd: Archive, old: bytes, new: bytes) -> None:
    record = kerd.record()
    data = changed(record, old, new)
    wrong = fault(data, kerd.keys)
    assert position(wrong.place) == difference(record, data)


def test_a_changed_commitment_is_named(kerd: Archive) -> None:
    record = kerd.record()
    at = record.index(b'[WhiteCommitment "') + 25
    data = record[:at] + (b"0" if record[at : at + 1] != b"0" else b"1") + record[at + 1 :]
    assert position(fault(data, kerd.keys).place) == difference(record, data)


def test_an_illegal_move_has_its_ply(record: bytes) -> None:
    wrong = fault(changed(record, b" Sab3", b" Sab9"), None)
    assert wrong.place.ply == 3
    assert "a byte was changed" in wrong.reason


def test_more_than_a_byte_is_named_as_far_as_it_can_be(katruji: Archive, record: bytes) -> None:
    wrong = fault(changed(record, b" Pd5", b" Pa1"), katruji.keys)
    assert (wrong.place.ply, wrong.place.line) == (2, place_of(record, b" Pd5").line)
    assert "the text was changed" in wrong.reason
    wrong = fault(changed(record, b"better", b"no better"), katruji.keys)
    assert wrong.reason == "the text is not the one RecordHash was made of"
    assert wrong.place == Location(line=place_of(record, b"[RecordHash").line)


def test_a_changed_hash_is_named(katruji: Archive, record: bytes) -> None:
    start = record.index(b'[RecordHash "') + 13
    data = record[:start] + b"0" * 64 + record[start + 64 :]
    wrong = fault(data, katruji.keys)
    assert wrong.reason == "RecordHash was changed; text and signature are right"
    assert wrong.place == Location(line=place_of(record, b"[RecordHash").line)


def test_a_hash_made_anew_is_caught_by_its_signature(katruji: Archive, record: bytes) -> None:
    data = changed(record, b"better", b"bitter")
    bare = without(without(data, HASH_TAG), SIGNATURE_TAG)
    forged = changed(data, read_hash(data), sha256(bare).hexdigest().encode())
    assert [verdict.status for verdict in verify_records(forged, None)] == [0]
    wrong = fault(forged, katruji.keys)
    assert wrong.reason == "the signature does not match what it signs"
    assert wrong.place == Location(line=place_of(record, b"[RecordSignature").line)


def read_hash(data: bytes) -> bytes:
    """The digest that a record states."""
    return read_game(data.decode()).tags[HASH_TAG].encode()


def test_every_letter_of_the_signature_counts(katruji: Archive, record: bytes) -> None:
    start = record.index(b'[RecordSignature "') + 18
    for at in range(start, record.index(b'"]', start)):
        other = b"A" if record[at : at + 1] != b"A" else b"B"
        data = record[:at] + other + record[at + 1 :]
        assert fault(data, katruji.keys).place.line == place_of(record, b"[RecordSignature").line


@pytest.mark.parametrize("tag", [HASH_TAG, SIGNATURE_TAG])
def test_a_record_with_one_of_the_tags_alone_is_wrong(
    katruji: Archive, record: bytes, tag: str
) -> None:
    assert fault(without(record, tag), katruji.keys).reason == f"no {tag}"


def test_a_record_without_a_hash_can_only_be_judged(record: bytes) -> None:
    data = without(without(record, HASH_TAG), SIGNATURE_TAG)
    (verdict,) = verify_records(data, None)
    assert isinstance(verdict.error, Unverifiable)
    assert verdict.status == 2
    assert verdict.error.reason == "no RecordHash; its 4 actions are legal"
    wrong = fault(changed(data, b" Sab3", b" Sab9"), None)
    assert (wrong.place.ply, wrong.place.line) == (3, place_of(data, b" Sab3").line)


def test_each_record_of_a_file_has_its_verdict(katruji: Archive, record: bytes) -> None:
    damaged = changed(record, b"better", b"bitter")
    data = b"\n".join([record, damaged, record])
    verdicts = verify_records(data, katruji.keys)
    assert [verdict.status for verdict in verdicts] == [0, 1, 0]
    assert isinstance(verdicts[1].error, Wrong)
    lines = record.count(b"\n") + 1
    assert verdicts[1].error.place.line == lines + (place_of(record, b"better").line or 0)
    assert verdicts[2].subject == f"record 3, line {2 * lines + 1}"
    assert status_of(verdicts) == 1


@pytest.mark.parametrize(
    ("statuses", "status"), [([0, 0], 0), ([0, 2], 2), ([2, 1], 1), ([1, 0], 1)]
)
def test_the_status_of_a_file_is_its_worst(record: bytes, statuses: list[int], status: int) -> None:
    kinds = {
        0: record,
        1: changed(record, b"better", b"bitter"),
        2: without(without(record, HASH_TAG), SIGNATURE_TAG),
    }
    data = b"\n".join(kinds[each] for each in statuses)
    assert status_of(verify_records(data, None)) == status


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\xff\xfe", b'[Event "x"]\n'])
def test_what_is_no_record_is_wrong(data: bytes) -> None:
    fault(data, None)


def test_a_changed_byte_is_looked_for_in_short_texts_alone() -> None:
    text = b"a short text, in which one byte is another \xc5\xbe" * 3
    digest = sha256(text).hexdigest()
    for at in (0, 70, len(text) - 1):
        for byte in (b"?", b"\n", b"\x07", b"\xfe"):
            damaged = text[:at] + byte + text[at + 1 :]
            assert ChangedBytes().find(damaged, digest) == at
    assert ChangedBytes().find(b"??" + text[2:], digest) is None
    assert ChangedBytes().find(bytes(100_000), digest) is None


def test_all_searches_in_a_file_hash_so_many_bytes_and_no_more() -> None:
    """However many texts were changed, naming the changes takes seconds, not hours."""
    text = bytes(range(32, 127)) * 4
    search = ChangedBytes(10_000_000)
    found = []
    for number in range(20):
        damaged = text[: 3 * number] + b"!" + text[3 * number + 1 :]
        left = search.left
        found.append(search.find(damaged, sha256(text).hexdigest()))
        assert 0 <= search.left <= left
    assert found[:3] == [0, 3, 6]
    assert found[-1] is None
    assert search.left < len(text) ** 2 // 2 * 256
    whole = ChangedBytes()
    assert whole.find(bytes(1000), sha256(b"another text").hexdigest()) is None
    assert MAX_HASHED - whole.left == sum(range(1000)) * 256


def test_records_behind_the_limit_are_wrong_all_the_same(
    katruji: Archive, record: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.verification.record.ChangedBytes", lambda: ChangedBytes(0))
    data = changed(record, b"better", b"bitter")
    verdicts = verify_records(b"\n".join([data, record, data]), katruji.keys)
    assert [verdict.status for verdict in verdicts] == [1, 0, 1]
    assert "the text is not the one RecordHash was made of" in str(verdicts[0])


def test_a_record_that_comes_in_keeps_its_rules_alone(empty: Archive, record: bytes) -> None:
    older = changed(record, b'[Rules "1"]', b'[Rules "0.7"]').decode()
    command = import_command(read_game(older), None, None)
    assert command.tags[RULES_TAG] == "0.7"
    assert not {HASH_TAG, SIGNATURE_TAG, "MovelogGame"} & set(command.tags)
    empty.games.create(ID, command, SCRIBE)
    exported = empty.record()
    assert b'[Rules "0.7"]' in exported
    (verdict,) = verify_records(exported, empty.keys)
    assert verdict.error is None
