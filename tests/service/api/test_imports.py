"""Imports of files of records: each game gets a verdict, and bad ones leave nothing behind."""

from __future__ import annotations

import errno
import gzip
import os
import re
from pathlib import Path

import pytest
import zstandard

from engine.registry import VARIANTS
from notation.reader import read_game
from service.errors import BadValue
from service.game.importing import import_command
from service.game.variations import MAX_ACTIONS
from service.imports import parsing
from service.imports.local_files import LocalFiles
from service.imports.parsing import MAX_TEXT
from service.player.names.recorded import check_recorded_name
from service.player.repository import NewPlayer
from tests.games import DATA
from tests.service.api.client import NDJSON, PGN, Api, error
from tests.service.api.conftest import Configured
from tests.service.imports.support import (
    GOOD,
    ILLEGAL,
    TAGS,
    Worker,
    begun,
    imported,
    project,
    shown,
    verdicts,
    work,
)

ADDED = re.compile(r"\[(?:MovelogGame|RecordHash|RecordSignature|Rules) .*\]\n")
"""The tags that the service adds on the way out."""
SMALL_HUGE = "".join(f"(Pd2{{{n:0149}}})" for n in range(6500))
"""Variations of less than 1 MiB that take more than 1 MiB with their numbers."""
ANNOTATED = GOOD.replace("Pd1", "Pd1 {a quiet move}")
OTHER = TAGS.format("0-1", "Pd1")


def games(api: Api) -> set[str]:
    return {stream.id for stream in api.service.log.streams("game")}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_comes_in_goes_out_unchanged(
    api: Api, ada: NewPlayer, data: Path, variant: str
) -> None:
    text = (data / "records" / f"{variant}.pgn").read_text(encoding="utf-8")
    made = imported(api, ada, text)
    out = [api.get(f"/games/{item['game']}", accept=PGN).text for item in made["items"]]
    assert ADDED.sub("", "\n".join(out)) == ADDED.sub("", text)
    again = imported(api, ada, "\n".join(out))
    assert again["counts"] == {"duplicate": len(out)}
    assert [item["game"] for item in again["items"]] == [item["game"] for item in made["items"]]


def test_variations_come_out_again(api: Api, ada: NewPlayer) -> None:
    movetext = "1. Pd1 {x} (1. Pd2 $1 Pa6 (1... Pa7 {y})) 1... Pa7 (1... Pa6) 1-0"
    (item,) = imported(api, ada, GOOD.replace("1. Pd1 1-0", movetext))["items"]
    text = api.get(f"/games/{item['game']}", accept=PGN).text
    assert text.partition("\n\n")[2] == f"{movetext}\n"


def test_a_bad_variation_is_placed(api: Api, ada: NewPlayer) -> None:
    bad = GOOD.replace("Pd1 1-0", "Pd1 (1. Pd2\nPa6 (1... Pa1)) 1-0")
    (item,) = imported(api, ada, bad)["items"]
    assert (item["code"], item["line"], item["ply"]) == ("illegal-move", 7, 2)


@pytest.mark.parametrize("file", sorted(DATA.glob("broken/*.pgn")), ids=lambda file: file.stem)
def test_damaged_files(api: Api, ada: NewPlayer, file: Path) -> None:
    items = imported(api, ada, file.read_bytes())["items"]
    lines = [
        f"{item['number']} ok"
        if item["status"] == "accepted"
        else "{number} quarantined {code} {line} {ply}".format(
            **{name: "-" if value is None else value for name, value in item.items()}
        )
        for item in items
    ]
    assert lines == file.with_suffix(".expected").read_text().splitlines()
    assert {item["game"] for item in items if item["status"] == "accepted"} == games(api)


BAD = {
    "illegal": (ILLEGAL, "illegal-move"),
    "ambiguous": (TAGS.format("1-0", "Pd2 Sb7=O"), "ambiguous-move"),
    "cut off in a tag": (GOOD[:20], "syntax"),
    "cut off in the moves": (GOOD[:-6] + "{", "syntax"),
    "unknown variant": (GOOD.replace("katruji", "chess"), "unknown-variant"),
    "another game's result": (GOOD.replace("1-0\n", "0-1\n"), "wrong-result"),
    "a name too long": (GOOD.replace('"A"', f'"{"A" * 256}"'), "bad-value"),
    "a huge tag": (GOOD.replace("[Variant", f'[Event "{"x" * 500_000}"]\n[Variant'), "bad-value"),
    "too many tags": ("".join(f'[T{n} "x"]\n' for n in range(200)) + GOOD, "bad-value"),
    "rubbish": ("\0\1\2\3 no record at all", "syntax"),
    "a huge game": (GOOD.replace("1-0\n", "{" + "x" * (1 << 20) + "} 1-0\n"), "too-large"),
    "too many actions": (TAGS.format("1-0", f"Pd1 {'(Pd2)' * MAX_ACTIONS}"), "too-large"),
    "huge as exported": (TAGS.format("1-0", f"Pd1 {SMALL_HUGE}"), "too-large"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_game_leaves_nothing_behind_and_spoils_no_other(
    api: Api, ada: NewPlayer, name: str
) -> None:
    text, expected = BAD[name]
    bad = imported(api, ada, text)["items"]
    assert [(item["status"], item["code"]) for item in bad] == [("quarantined", expected)]
    assert bad[0]["detail"]
    assert games(api) == set()
    assert [stream.id for stream in api.service.log.streams("player")] == [ada.id]
    both = imported(api, ada, text + "\n\n" + GOOD)["items"]
    assert both[-1]["status"] == "accepted"
    start, end = both[-1]["bytes"]
    assert (text + "\n\n" + GOOD).encode()[start:end].decode() == GOOD


@pytest.mark.parametrize("raw", [bytes(range(256)) * 100, b"\xff\xfe" * 5000, b"\0" * 9999, b"["])
def test_binary_rubbish(api: Api, ada: NewPlayer, raw: bytes) -> None:
    made = imported(api, ada, raw)
    assert {item["status"] for item in made["items"]} == {"quarantined"}
    assert games(api) == set()


def test_an_empty_file_has_no_games(api: Api, ada: NewPlayer) -> None:
    made = imported(api, ada, b"")
    assert (made["state"], made["counts"], made["items"]) == ("done", {}, [])


def test_the_same_name_is_the_same_player(api: Api, ada: NewPlayer) -> None:
    items = imported(api, ada, GOOD + "\n" + OTHER)["items"]
    ids = {(api.get(f"/games/{i['game']}").json or {})["players"]["first"]["id"] for i in items}
    assert len(ids) == 1
    player = api.get(f"/players/{ids.pop()}").json
    assert player is not None
    assert (player["name"], player["claimed"]) == ("A", False)


def test_the_same_game_is_a_duplicate_and_with_other_annotations_a_variant(
    api: Api, ada: NewPlayer
) -> None:
    respelt = GOOD.replace('"A"', '"  a "')
    first, again, variant, once_more, other = imported(
        api, ada, "\n".join([GOOD, respelt, ANNOTATED, ANNOTATED, OTHER])
    )["items"]
    assert again["status"] == once_more["status"] == "duplicate"
    assert again["game"] == first["game"]
    assert (variant["status"], variant["of"]) == ("variant-of", first["game"])
    assert once_more["game"] == variant["game"] != first["game"]
    assert other["status"] == "accepted"
    assert games(api) == {first["game"], variant["game"], other["game"]}


@pytest.mark.parametrize("tag", ["Date", "Event", "Round", "South", "North"])
def test_a_game_of_another_occasion_is_another_game(api: Api, ada: NewPlayer, tag: str) -> None:
    plain = re.sub(rf'\[{tag} ".*"\]\n', "", GOOD)
    texts = [f'[{tag} "{value}"]\n{plain}' for value in ("2026.01.01", "2026.01.02")]
    items = imported(api, ada, "\n".join(texts))["items"]
    assert [item["status"] for item in items] == ["accepted", "accepted"]


def test_a_game_played_here_is_recognised_when_it_comes_back(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1")
    api.command(path, ada, "resign", side="second")
    text = api.get(path, accept=PGN).text
    played, changed = imported(api, ada, text + "\n" + text.replace("Pd1", "Pd2"))["items"]
    assert (played["status"], f"/games/{played['game']}") == ("duplicate", path)
    assert changed["status"] == "accepted"


def test_the_largest_game_can_be_read_and_exported_and_imported_again(
    api: Api, ada: NewPlayer
) -> None:
    empty = read_game(TAGS.format("*", "Pd1 {} (Pd2)"))
    room = MAX_TEXT - len(import_command(empty, None, None).text) - len("{} ")
    words = "x" * 77 + "\n"
    comment = (words * (room // len(words) + 1))[:room]
    text = TAGS.format("*", f"Pd1 {{{comment}}} (Pd2)")
    larger, largest = (
        imported(api, ada, one)["items"][0] for one in (text.replace("{x", "{xx"), text)
    )
    assert (larger["status"], larger["code"]) == ("quarantined", "too-large")
    assert largest["status"] == "accepted"
    path = f"/games/{largest['game']}"
    assert api.get(path).status_code == 200
    exported = api.get(path, accept=PGN).text
    again = imported(api, ada, exported.replace("Pd2", "Sd1"))["items"][0]
    assert again["status"] == "variant-of"
    api.project()
    assert len(api.get("/export", accept=NDJSON).text.splitlines()) >= 2


def test_a_signed_export_is_a_duplicate_whatever_its_game_has_become(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    played = api.scribed(ada)
    api.play(played, ada, "Pd1")
    api.command(played, ada, "resign", side="second")
    kept = f"/games/{imported(api, ada, GOOD)['items'][0]['game']}"
    texts = [api.get(path, accept=PGN).text for path in (played, kept)]
    for path in (played, kept):
        note = {"comments": ["good"], "nags": [1]}
        answer = api.command(path, admin, "annotate", ply=1, annotation=note)
        assert answer.status_code == 200, answer.json
    for path in (played, kept):
        seat = (api.get(path).json or {})["players"]["first"]["id"]
        api.service.players.rename(seat, f"Augusta {seat}", admin.id)
    texts += [api.get(path, accept=PGN).text for path in (played, kept)]
    mailed = [text.replace("\n", "\r\n") + "\r\n\r\n" for text in texts]
    players = {stream.id for stream in api.service.log.streams("player")}
    items = imported(api, ada, "\n".join(texts) + "\n" + "".join(mailed))["items"]
    assert {stream.id for stream in api.service.log.streams("player")} == players
    assert [item["status"] for item in items] == ["duplicate"] * 8
    assert [f"/games/{item['game']}" for item in items] == [played, kept] * 4


def test_an_export_that_was_annotated_elsewhere_is_a_variant(api: Api, ada: NewPlayer) -> None:
    played = api.scribed(ada)
    api.play(played, ada, "Pd1")
    api.command(played, ada, "resign", side="second")
    text = api.get(played, accept=PGN).text
    unsigned = re.sub(r"\[Record.*\]\n", "", text)
    annotated = text.replace("Pd1", "Pd1 {a quiet move}")
    same, variant, again = imported(api, ada, "\n".join([unsigned, annotated, annotated]))["items"]
    assert (same["status"], f"/games/{same['game']}") == ("duplicate", played)
    assert (variant["status"], f"/games/{variant['of']}") == ("variant-of", played)
    assert (again["status"], again["game"]) == ("duplicate", variant["game"])
    assert "a quiet move" in api.get(f"/games/{variant['game']}", accept=PGN).text


def test_as_played_keeps_illegal_records_which_are_no_games(api: Api, ada: NewPlayer) -> None:
    made = imported(api, ada, "\n".join(["\0rubbish", GOOD, ILLEGAL]), "as-played")
    rubbish, good, illegal = made["items"]
    assert made["counts"] == {"accepted": 1, "as-played": 1, "quarantined": 1}
    assert (rubbish["status"], rubbish["code"]) == ("quarantined", "syntax")
    assert games(api) == {good["game"]}
    path = f"/records/{illegal['record']}"
    record = api.get(path).json
    assert record is not None
    assert (record["status"], record["import"], record["number"]) == ("as-played", made["id"], 3)
    assert (record["error"]["code"], record["error"]["token"]) == ("illegal-move", "Pd9")
    assert record["text"].startswith(ILLEGAL)
    assert api.get(path, accept=PGN).text == record["text"]
    assert error(api.get(f"/games/{illegal['record']}")) == (404, "not-found")
    listed = verdicts(api, ada, made["id"], status="as-played")
    assert [item["number"] for item in listed] == [3]
    assert error(api.get(f"/records/{good['game']}")) == (404, "not-found")
    mailed = record["text"].replace("\n", "\r\n") + "\r\n\r\n\r\n"
    again = imported(api, ada, record["text"] + "\n\n" + mailed, "as-played")["items"]
    assert [(item["status"], item["record"]) for item in again] == [
        ("duplicate", illegal["record"])
    ] * 2


def test_a_strict_import_with_a_bad_game_takes_in_nothing(api: Api, ada: NewPlayer) -> None:
    made = imported(api, ada, "\n".join([GOOD, ILLEGAL, OTHER]), "strict")
    assert (made["state"], made["committed"]) == ("refused", False)
    assert [item["status"] for item in made["items"]] == ["valid", "quarantined", "valid"]
    assert games(api) == set()
    whole = imported(api, ada, "\n".join([GOOD, ANNOTATED, OTHER]), "strict")
    assert (whole["state"], whole["committed"]) == ("done", True)
    assert whole["counts"] == {"accepted": 2, "variant-of": 1}


def test_after_the_parser_was_mended_an_import_says_what_changed(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that the service once refused stands in for a record that it once could not read."""

    def strange(name: str) -> None:
        check_recorded_name(name)
        if name == "B":
            raise BadValue("name", "strange")

    text = "\n".join([GOOD, ILLEGAL, OTHER.replace('"B"', '"C"')])
    with monkeypatch.context() as patch:
        patch.setattr(parsing, "check_recorded_name", strange)
        before = imported(api, ada, text)
    assert before["counts"] == {"accepted": 1, "quarantined": 2}
    after = imported(api, ada, text)
    assert after["counts"] == {"accepted": 1, "quarantined": 1, "duplicate": 1, "changed": 1}
    changed = {item["number"]: item["was"] for item in after["items"] if "was" in item}
    assert changed == {1: {"status": "quarantined", "code": "bad-value"}}
    assert "changed" not in imported(api, ada, text)["counts"]


PACKED = {
    "identity": (GOOD.encode(), "application/x-chess-pgn"),
    "gzip": (gzip.compress(GOOD.encode()), "application/gzip"),
    "zstd": (zstandard.compress(GOOD.encode()), "application/zstd"),
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("told", [True, False])
def test_packed_files_come_in_and_back_as_they_were(
    api: Api, ada: NewPlayer, packing: str, told: bool
) -> None:
    raw, kind = PACKED[packing]
    headers = {"Content-Encoding": packing} if told else {}
    answer = api.send("POST", "/imports", ada, raw, PGN if told else kind, headers=headers)
    assert answer.status_code == 202, answer.text
    work(api.service)
    found = shown(api, ada, (answer.json or {})["id"])
    assert (found["packing"], found["counts"]) == (packing, {"accepted": 1})
    assert found["progress"] == {"games": 1, "bytes": len(raw), "of": len(raw)}
    with api.get(f"/imports/{found['id']}/original", ada) as original:
        assert (original.data, original.mimetype) == (raw, kind)
        assert "Content-Encoding" not in original.headers


def test_a_file_that_is_pruned_as_it_is_asked_for_is_not_found(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = imported(api, ada, GOOD)["id"]
    size = LocalFiles.size

    def pruned(files: LocalFiles, id: str) -> int | None:
        found = size(files, id)
        files.discard(id)
        return found

    monkeypatch.setattr(LocalFiles, "size", pruned)
    assert error(api.get(f"/imports/{id}/original", ada)) == (404, "not-found")


@pytest.fixture
def original(api: Api, ada: NewPlayer) -> str:
    """The path of a file of 100 bytes."""
    answer = api.send("POST", "/imports", ada, b"%-100s" % GOOD.encode()[:100], PGN)
    assert answer.json is not None
    return f"/imports/{answer.json['id']}/original"


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=100-199"])
def test_a_range_after_the_end_is_refused(
    api: Api, ada: NewPlayer, original: str, asked: str
) -> None:
    answer = api.get(original, ada, Range=asked)
    assert error(answer) == (416, "range-not-satisfiable")
    assert answer.headers["Content-Range"] == "bytes */100"


@pytest.mark.parametrize(
    ("asked", "part", "told"),
    [
        ("bytes=99-", slice(99, None), "bytes 99-99/100"),
        ("bytes=0-500", slice(None), "bytes 0-99/100"),
        ("bytes=-100", slice(None), "bytes 0-99/100"),
        ("bytes=-3", slice(97, None), "bytes 97-99/100"),
    ],
)
def test_a_range_is_cut_at_the_end(
    api: Api, ada: NewPlayer, original: str, asked: str, part: slice, told: str
) -> None:
    with api.get(original, ada) as whole, api.get(original, ada, Range=asked) as answer:
        assert (answer.status_code, answer.data) == (206, whole.data[part])
        assert answer.headers["Content-Range"] == told


@pytest.mark.parametrize(
    "asked", ["bytes=-101", "chars=0-9", "bytes=0-1,4-5", "bytes=5-2", "bytes=-0", "bytes=a", ""]
)
def test_a_range_of_another_form_gets_the_whole_file(
    api: Api, ada: NewPlayer, original: str, asked: str
) -> None:
    with api.get(original, ada) as whole, api.get(original, ada, Range=asked) as answer:
        assert (answer.status_code, answer.data) == (200, whole.data)
        assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("asked", ["bytes=0-9", "bytes=100-"])
def test_a_range_means_nothing_to_head(api: Api, ada: NewPlayer, original: str, asked: str) -> None:
    """RFC 9110, section 14.2: ranges are defined for GET alone."""
    with api.send("HEAD", original, ada, headers={"Range": asked}) as answer:
        assert (answer.status_code, answer.headers["Content-Length"]) == (200, "100")


def test_a_file_that_is_not_packed_as_it_says_is_refused(api: Api, ada: NewPlayer) -> None:
    said = {"Content-Encoding": "gzip"}
    answer = api.send("POST", "/imports", ada, GOOD.encode(), PGN, headers=said)
    assert error(answer) == (400, "malformed-header")
    assert not list((api.service.settings.data_dir / "imports").iterdir())


def test_a_damaged_file_fails_and_says_so(api: Api, ada: NewPlayer) -> None:
    raw = gzip.compress((GOOD * 50).encode())
    made = imported(api, ada, raw[:-20])
    assert made["state"] == "failed"
    assert made["reason"].startswith("damaged-upload: ")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_bounded(configured: Configured, pack: type) -> None:
    api = configured(MOVELOG_MAX_UPLOAD="100000")
    made = imported(api, api.player("Ada"), pack(b" " * 10_000_000))
    assert made["state"] == "failed"
    assert made["reason"] == "unpacks-too-large: the file unpacks to more than 100000 bytes"


def test_an_upload_may_be_larger_than_any_other_body(configured: Configured) -> None:
    api = configured(MOVELOG_MAX_BODY="2000", MOVELOG_MAX_UPLOAD="20000")
    ada = api.player("Ada")
    made = imported(api, ada, GOOD + "\n" * 10_000)
    assert made["counts"] == {"accepted": 1}
    answer = api.send("POST", "/imports", ada, GOOD.encode() + b"\n" * 20_000, PGN)
    assert error(answer) == (413, "too-large")


def test_one_who_waits_gets_the_verdicts_at_once(api: Api, ada: NewPlayer) -> None:
    with Worker(api.service):
        answer = api.send(
            "POST", "/imports", ada, f"{GOOD}\n{ILLEGAL}".encode(), PGN, query={"wait": 20}
        )
    assert answer.status_code == 200
    made = answer.json or {}
    assert (made["state"], made["counts"]) == ("done", {"accepted": 1, "quarantined": 1})
    assert [item["status"] for item in made["items"]] == ["accepted", "quarantined"]
    assert made["next_cursor"] is None


@pytest.mark.slow
def test_one_who_waits_in_vain_gets_the_import(api: Api, ada: NewPlayer) -> None:
    answer = api.send("POST", "/imports", ada, GOOD.encode(), PGN, query={"wait": 1})
    assert (answer.status_code, (answer.json or {})["state"]) == (202, "queued")


def test_a_full_disk_is_a_problem_and_no_import(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    answer = api.send("POST", "/imports", ada, GOOD.encode(), PGN)
    assert error(answer) == (507, "storage-full")
    assert list(api.service.imports.uploads.incoming.glob("*")) == []
    assert api.service.log.streams("import") == []


def test_a_cancelled_import_takes_in_nothing_more(api: Api, ada: NewPlayer) -> None:
    id = begun(api, ada, GOOD)["id"]
    answer = api.send("DELETE", f"/imports/{id}", ada)
    assert answer.status_code == 200
    assert (answer.json or {})["state"] == "cancelled"
    assert "stay" in (answer.json or {})["reason"]
    work(api.service)
    assert shown(api, ada, id)["counts"] == {}
    assert games(api) == set()
    assert error(api.send("DELETE", f"/imports/{id}", ada)) == (409, "cannot-cancel")


def test_an_upload_is_begun_once_with_a_key(api: Api, ada: NewPlayer) -> None:
    sent = [
        api.send("POST", "/imports", ada, raw.encode(), PGN, key="k") for raw in (GOOD, GOOD, OTHER)
    ]
    assert [answer.status_code for answer in sent] == [202, 202, 422]
    assert (sent[0].json or {})["id"] == (sent[1].json or {})["id"]
    work(api.service)
    assert len(games(api)) == 1


def test_an_import_whose_job_was_lost_is_queued_again(api: Api, ada: NewPlayer) -> None:
    id = begun(api, ada, GOOD)["id"]
    api.service.store.delete(f"movelog:{{jobs}}:job:{id}", "movelog:{jobs}:state:queued")
    assert shown(api, ada, id)["state"] == "queued"
    project(api.service)
    work(api.service)
    assert shown(api, ada, id)["state"] == "done"


def test_imports_are_their_makers_and_admins(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer
) -> None:
    id = imported(api, ada, GOOD)["id"]
    for path in (f"/imports/{id}", f"/imports/{id}/verdicts", f"/imports/{id}/original"):
        assert error(api.get(path)) == (401, "missing-token")
        assert error(api.get(path, eve)) == (403, "missing-scope")
        with api.get(path, admin) as answer:
            assert answer.status_code == 200
    assert error(api.send("DELETE", f"/imports/{id}", eve)) == (403, "missing-scope")
    assert error(api.get("/imports/aaaaaaaaaaaaaaaa", ada)) == (404, "not-found")


def test_a_cursor_that_never_was_one(api: Api, ada: NewPlayer) -> None:
    id = imported(api, ada, GOOD)["id"]
    for accept in ("application/json", "application/x-ndjson"):
        answer = api.get(f"/imports/{id}/verdicts", ada, accept=accept, query={"cursor": 5})
        assert error(answer) == (422, "bad-value")


def test_other_requests_than_a_file_of_records(api: Api, ada: NewPlayer) -> None:
    before = api.snapshot()
    raw = GOOD.encode()
    for kind in ("application/json", "application/octet-stream", None):
        answer = api.send("POST", "/imports", ada, raw, kind)
        assert error(answer) == (415, "wrong-media-type")
    assert error(api.send("POST", "/imports", None, raw, PGN)) == (401, "missing-token")
    for query in ({"strict": "1"}, {"mode": "lax"}, {"wait": "99"}):
        answer = api.send("POST", "/imports", ada, raw, PGN, query=query)
        assert error(answer) == (400, "bad-parameter")
    assert api.snapshot() == before


def test_a_day_of_uploads_is_bounded_and_leaves_nothing_on_the_disk(
    configured: Configured, tmp_path: Path
) -> None:
    api = configured(MOVELOG_UPLOAD_QUOTA="2000000")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    admin = api.player("Root", "play", "admin")
    files = [f"{GOOD}\n" + "\n" * 999_000 + f"{number}" for number in range(4)]
    for text in files[:3]:
        # The last of them exceeds the quota by less than one step of the reservation.
        begun(api, ada, text)
    kept = sorted((tmp_path / "imports").iterdir())
    refused = api.send("POST", "/imports", ada, files[3].encode(), PGN)
    assert error(refused) == (429, "upload-quota-used")
    assert refused.json is not None
    assert refused.json["limit"] == 2_000_000
    assert 0 < refused.json["retry_after"] <= 24 * 3600
    assert refused.headers["Retry-After"] == str(refused.json["retry_after"])
    assert sorted((tmp_path / "imports").iterdir()) == kept
    begun(api, brahim, files[3])
    for text in (files[3], files[3] + "x", files[3] + "y"):
        begun(api, admin, text)


def test_an_upload_that_is_refused_or_breaks_off_does_not_count(configured: Configured) -> None:
    api = configured(MOVELOG_UPLOAD_QUOTA="3000000", MOVELOG_MAX_UPLOAD="1500000")
    ada = api.player("Ada")
    for _ in range(5):
        refused = api.send("POST", "/imports", ada, b"\n" * 1_400_000 + b"x", "text/csv")
        assert error(refused) == (415, "wrong-media-type")
        refused = api.send("POST", "/imports", ada, b"\n" * 1_600_000, PGN)
        assert error(refused) == (413, "too-large")
        odd = {"Content-Encoding": "gzip"}
        refused = api.send("POST", "/imports", ada, b"\n" * 1_400_000, PGN, headers=odd)
        assert error(refused) == (400, "malformed-header")
    begun(api, ada, "\n" * 1_400_000)


def test_the_imports_of_a_player_under_way_are_bounded(configured: Configured) -> None:
    api = configured(MOVELOG_IMPORTS_PER_PLAYER="2")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    admin = api.player("Root", "play", "admin")
    files = [GOOD.replace("1. Pd1", f"1. Pd1 {{{number}}}") for number in range(5)]
    first, second = (begun(api, ada, text)["id"] for text in files[:2])
    refused = api.send("POST", "/imports", ada, files[2].encode(), PGN)
    assert error(refused) == (429, "too-many-imports")
    assert "2 of your imports" in refused.text
    begun(api, brahim, files[2])
    for text in files[:3]:
        begun(api, admin, text)
    assert api.send("DELETE", f"/imports/{first}", ada).status_code == 200
    begun(api, ada, files[2])
    assert error(api.send("POST", "/imports", ada, files[3].encode(), PGN))[0] == 429
    work(api.service)
    begun(api, ada, files[3])
    assert shown(api, ada, second)["state"] == "done"


def test_r0_a_record_keeps_a_draw_by_points_that_is_no_rule_of_its_game(
    api: Api, ada: NewPlayer
) -> None:
    for value in ("yes", "Yes", "1"):
        text = GOOD.replace("[Variant", f'[DrawByPoints "{value}"]\n[Variant')
        (item,) = imported(api, ada, text)["items"]
        assert item["status"] in ("accepted", "variant-of"), item
        out = api.get(f"/games/{item['game']}", accept=PGN).text
        assert f'[DrawByPoints "{value}"]' in out
