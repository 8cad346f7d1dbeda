"""Logs as NDJSON: what proves them, and what is found in changed ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.game.values import Mode
from service.log.chain import canonical, digest
from service.log.values import GENESIS
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.verification.errors import Location, Unverifiable, Wrong
from service.verification.events import verify_events
from service.verification.report import UNSIGNED, VerificationResult
from tests.service.game.support import SCRIBE, new_game
from tests.service.verification.support import NONCES, Archive, changed, fault, rechained

LINES = 10
"""Events of the game of Katruji."""


@pytest.fixture
def log(katruji: Archive) -> bytes:
    return katruji.log()


def test_an_export_is_chained_by_its_own_lines(log: bytes) -> None:
    *events, head = log.splitlines()
    assert len(events) == LINES
    stated = [json.loads(line)["previous"] for line in events]
    assert stated == [GENESIS, *map(digest, events[:-1])]
    last = json.loads(head)
    assert (last["count"], last["head"]) == (LINES, digest(events[-1]))


def test_an_untouched_export_is_verified(katruji: Archive, log: bytes) -> None:
    verdict = verify_events(log, katruji.keys)
    assert (verdict.error, verdict.status, len(verdict.proven)) == (None, 0, 3)
    assert str(verdict).endswith("\n  verified")


def test_without_keys_the_report_says_what_was_not_checked(log: bytes) -> None:
    verdict = verify_events(log, None)
    assert (verdict.error, verdict.status) == (None, 0)
    assert UNSIGNED in verdict.proven


def test_secret_choices_are_proven(kerd: Archive) -> None:
    assert verify_events(kerd.log(), kerd.keys).error is None


def test_a_game_that_goes_on_is_verified(kerd: Archive, katruji: Archive) -> None:
    for archive, variant in ((kerd, "kerd"), (katruji, "kerak")):
        archive.games.create("r" * 16, new_game(Mode.SCRIBE, variant=variant), SCRIBE)
    assert verify_events(katruji.log(), katruji.keys).status == 0


@pytest.mark.parametrize(
    ("old", "new", "event"),
    [
        (b'"action":"a3b3"', b'"action":"a3b2"', 4),
        (b'"san":"Pd5"', b'"san":"Pd6"', 3),
        (b"a word on d7c6", b"a Word on d7c6", 5),
        (b"better", b"bitter", 8),
        (b'"to_ply":4', b'"to_ply":3', 7),
        (b"Prvo kolo", b"Prva kola", 1),
        (b'"points":[0,0]', b'"points":[0,1]', 10),
        (b'"by":"movelog:scorer"', b'"by":"movelog:scores"', 10),
    ],
)
def test_a_changed_event_is_named(
    katruji: Archive, log: bytes, old: bytes, new: bytes, event: int
) -> None:
    wrong = fault(changed(log, old, new), katruji.keys)
    assert (wrong.place.event, wrong.place.line) == (event, event)
    assert f"event {event}, line {event}" in str(wrong)


@pytest.mark.parametrize(
    ("old", "new", "event"),
    [
        (f'"nonce":"{NONCES[0]}'.encode(), f'"nonce":"1{NONCES[0][1:]}'.encode(), 7),
        (b'"choice":"d11"', b'"choice":"e11"', 7),
    ],
)
def test_a_changed_nonce_or_choice_is_named(
    kerd: Archive, old: bytes, new: bytes, event: int
) -> None:
    data = changed(kerd.log(), old, new)
    assert fault(data, kerd.keys).place == Location(event, None, event)
    # Even with a new chain, they would not match the commitment.
    wrong = fault(rechained(data.splitlines()), None)
    assert wrong.place.event == event
    assert wrong.reason == "choice and nonce do not make the commitment"


def test_a_changed_commitment_is_named(kerd: Archive) -> None:
    lines = kerd.log().splitlines()
    event = json.loads(lines[1])
    event["data"]["commitment"] = event["data"]["commitment"][::-1]
    lines[1] = canonical(event)
    data = b"\n".join([*lines, b""])
    assert fault(data, kerd.keys).place == Location(2, None, 2)
    assert "commitment" in fault(rechained(lines), None).reason


def test_a_nonce_that_is_too_short_is_named(kerd: Archive) -> None:
    data = changed(kerd.log(), f'"nonce":"{NONCES[0]}"'.encode(), b'"nonce":"abc"')
    assert "32 lowercase hex digits" in fault(rechained(data.splitlines()), None).reason


def test_a_choice_that_was_kept_back_is_found(kerd: Archive) -> None:
    lines = kerd.log().splitlines()
    assert "choice-disclosed" in lines[7].decode()
    del lines[7]
    assert fault(rechained(lines), None).reason == "the game is over and a choice was not disclosed"
    del lines[2]
    assert "not possible in a game that is choosing" in fault(rechained(lines), None).reason


def test_a_choice_that_nobody_made_is_found(kerd: Archive) -> None:
    lines = kerd.log().splitlines()
    twice = [*lines[:8], lines[7], lines[8]]
    del twice[2]
    assert fault(rechained(twice), None).reason == "a choice that nobody made is disclosed"


@pytest.mark.parametrize("made", ["katruji", "kerd"])
def test_an_unknown_variant_is_named(made: str, request: pytest.FixtureRequest) -> None:
    log = request.getfixturevalue(made).log()
    forged = changed(log, f'"variant":"{made}"'.encode(), b'"variant":"e2"')
    wrong = fault(rechained(forged.splitlines()), None)
    assert wrong.reason.startswith("unknown variant 'e2', expected one of ")
    assert wrong.place == Location(1, None, 1)


def test_a_choice_that_is_no_square_is_named(kerd: Archive) -> None:
    forged = changed(kerd.log(), b'"choice":"d11"', '"choice":"ž"'.encode())
    wrong = fault(rechained(forged.splitlines()), None)
    assert wrong.reason == "choice and nonce do not make the commitment"
    assert wrong.place == Location(7, None, 7)


def test_a_changed_result_is_named(katruji: Archive, log: bytes) -> None:
    lines = log.splitlines()
    lines[8] = changed(lines[8], b'"result":"0-1"', b'"result":"1-0"')
    assert fault(b"\n".join([*lines, b""]), katruji.keys).place == Location(9, None, 9)


@pytest.mark.parametrize("line", range(LINES))
def test_a_removed_event_is_missed(katruji: Archive, log: bytes, line: int) -> None:
    lines = log.splitlines(keepends=True)
    wrong = fault(b"".join(lines[:line] + lines[line + 1 :]), katruji.keys)
    assert wrong.place.event == line + 1
    if line + 1 < LINES:
        assert wrong.reason == f"event {line + 2} stands where event {line + 1} is due"
    else:
        assert wrong.reason == "the head counts 10 events, 9 are here"


@pytest.mark.parametrize("line", range(LINES - 1))
def test_swapped_events_are_noticed(katruji: Archive, log: bytes, line: int) -> None:
    lines = log.splitlines(keepends=True)
    lines[line], lines[line + 1] = lines[line + 1], lines[line]
    assert fault(b"".join(lines), katruji.keys).place.event == line + 1


def test_an_export_without_its_end_is_noticed(katruji: Archive, log: bytes) -> None:
    lines = log.splitlines(keepends=True)
    for kept in range(1, LINES + 1):
        wrong = fault(b"".join(lines[:kept]), katruji.keys)
        assert wrong.reason == "no signed head: the export's end is missing, or changed"
        assert wrong.place.line == kept
    assert fault(log[:-1], katruji.keys).reason == "the last line does not end"
    assert fault(log + lines[-1], katruji.keys).reason == (
        "something follows the export's last line"
    )


def test_a_link_that_was_changed_is_that_events_own_fault(katruji: Archive, log: bytes) -> None:
    lines = log.splitlines()
    for number in range(1, LINES + 1):
        event = json.loads(lines[number - 1])
        other = {**event, "previous": "f" * 64}
        data = b"\n".join([*lines[: number - 1], canonical(other), *lines[number:], b""])
        assert fault(data, katruji.keys).place.event == number


def test_a_chain_made_anew_is_caught_by_its_signature(
    katruji: Archive, log: bytes, tmp_path: Path
) -> None:
    lines = changed(log, b"better", b"bitter").splitlines()
    forged = rechained(lines)
    assert verify_events(forged, None).status == 0
    assert fault(forged, katruji.keys).reason == "the signature does not match what it signs"
    other = Signer(KeyFile(tmp_path / "other.key"))
    wrong = fault(rechained(lines, other), katruji.keys)
    assert wrong.reason == f"signed with the key {other.key!r}, which is not among those given"
    assert wrong.place == Location(line=LINES + 1)


@pytest.mark.parametrize("line", range(LINES))
def test_an_event_of_another_game_is_refused(katruji: Archive, log: bytes, line: int) -> None:
    """Although its place and its links are right, and everything is signed again."""
    lines = log.splitlines()
    event = json.loads(lines[line])
    lines[line] = canonical({**event, "stream": "game:" + "z" * 16})
    wrong = fault(rechained(lines, katruji.signer), katruji.keys)
    assert wrong.reason == f"an event of game:{'z' * 16}, not of {event['stream']}"
    assert wrong.place == Location(line=line + 1, event=line + 1)


def test_a_part_with_an_event_of_another_game_is_refused(katruji: Archive) -> None:
    lines = katruji.part(0, 3).splitlines()
    last = json.loads(lines[2])
    lines[2] = canonical({**last, "stream": "game:" + "z" * 16})
    assert "an event of game:zzzz" in fault(b"\n".join([*lines, b""]), None).reason


def test_a_tail_cut_off_with_its_head_made_anew_is_caught(katruji: Archive, log: bytes) -> None:
    lines = log.splitlines()
    assert "signature" in fault(rechained([*lines[:-2], lines[-1]]), katruji.keys).reason


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=300,
)
@given(st.data())
def test_any_changed_byte_is_caught(kerd: Archive, data: st.DataObject) -> None:
    log = bytearray(kerd.log())
    at = data.draw(st.integers(0, len(log) - 1))
    log[at] ^= data.draw(st.integers(1, 255))
    verdict = verify_events(bytes(log), kerd.keys)
    assert verdict.status == 1, bytes(log[max(0, at - 20) : at + 20])
    assert isinstance(verdict.error, Wrong)
    line = verdict.error.place.line
    assert line is not None
    here = kerd.log().count(b"\n", 0, at) + 1
    # A line break turns one line into two, or two into one.
    assert here <= line <= here + 1


def test_a_changed_head_is_not_blamed_on_the_last_event(katruji: Archive, log: bytes) -> None:
    *events, head = log.splitlines(keepends=True)
    for old, new in (b"0f", b"1e", b"9a"):
        start = head.index(b'"head":"') + len(b'"head":"')
        changed = head[:start] + head[start : start + 64].replace(bytes([old]), bytes([new]))
        changed += head[start + 64 :]
        assert changed != head
        wrong = fault(b"".join(events) + changed, katruji.keys)
        assert wrong.place.line == len(events) + 1
        assert "signature" in wrong.reason


@pytest.mark.parametrize("flipped", [1, 2, 4, 8, 16, 32, 64, 128])
def test_every_bit_of_the_head_counts(kerd: Archive, flipped: int) -> None:
    log = kerd.log()
    start = log.rindex(b"\n", 0, -1) + 1
    for at in range(start, len(log)):
        damaged = log[:at] + bytes([log[at] ^ flipped]) + log[at + 1 :]
        assert verify_events(damaged, kerd.keys).status == 1, at


def test_a_part_cannot_be_verified(katruji: Archive) -> None:
    for after, limit in ((0, 3), (3, 4), (9, 5), (10, 5)):
        verdict = verify_events(katruji.part(after, limit), katruji.keys)
        assert isinstance(verdict.error, Unverifiable)
        assert verdict.status == 2
        assert "part of a game" in str(verdict)
    part = changed(katruji.part(3, 4), b'"to_ply":4', b'"to_ply":3')
    assert verify_events(part, None).status == 2  # the last event: no link names its digest
    part = changed(katruji.part(3, 5), b'"to_ply":4', b'"to_ply":3')
    assert fault(part, None).place.event == 7


@pytest.mark.parametrize(
    "data",
    [b"", b"{}\n", b"[]\n", b"nonsense\n", b'{"a": 1}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n"],
)
def test_what_is_no_export_is_not_verified(data: bytes) -> None:
    assert verify_events(data, None).status in (1, 2)


def test_a_verdict_is_a_report() -> None:
    assert str(VerificationResult("events", ("one",), Wrong("why", Location(line=3, event=2)))) == (
        "events\n  one\n  WRONG: event 2, line 3: why"
    )
    assert str(VerificationResult("events", (), Unverifiable("why"))) == (
        "events\n  cannot be verified: why"
    )
    assert str(Wrong("why")) == "why"


def test_rotation_keeps_old_exports_verifiable(katruji: Archive, log: bytes) -> None:
    before = katruji.keys
    old = katruji.signer.key
    assert katruji.signer.rotate() != old
    assert verify_events(log, katruji.keys).error is None
    assert verify_events(katruji.log(), katruji.keys).error is None
    assert katruji.log() != log
    assert "not among those given" in fault(katruji.log(), before).reason
