"""Records in: each game its verdict, the bad ones leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.registry import VARIANTS
from service.api.imports import MOST_GAMES
from service.players import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service_tags import without_service_tags

TAGS = '[South "A"]\n[North "B"]\n[Variant "katruji"]\n[Result "{0}"]\n\n1. {1} {0}\n'
GOOD = TAGS.format("1-0", "Pd1")


def sent(api: Api, by: NewPlayer, text: str | bytes, kind: str = PGN) -> list[dict[str, object]]:
    """The verdicts."""
    raw = text.encode() if isinstance(text, str) else text
    answer = api.send("POST", "/imports", by, raw, kind)
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    items: list[dict[str, object]] = answer.json["items"]
    accepted = [item for item in items if item["status"] == "accepted"]
    counts = {"accepted": len(accepted), "quarantined": len(items) - len(accepted)}
    assert answer.json["counts"] == counts
    return items


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_comes_in_goes_out_unchanged(
    api: Api, ada: NewPlayer, data: Path, variant: str
) -> None:
    text = (data / "records" / f"{variant}.pgn").read_text(encoding="utf-8")
    items = sent(api, ada, text)
    out = [api.get(f"/games/{item['game']}", accept=PGN).text for item in items]
    assert without_service_tags("\n".join(out)) == text


def test_variations_come_out_again(api: Api, ada: NewPlayer) -> None:
    movetext = "1. Pd1 {x} (1. Pd2 $1 Pa6 (1... Pa7 {y})) 1... Pa7 (1... Pa6) 1-0"
    (item,) = sent(api, ada, GOOD.replace("1. Pd1 1-0", movetext))
    text = api.get(f"/games/{item['game']}", accept=PGN).text
    assert text.partition("\n\n")[2] == f"{movetext}\n"


def test_a_bad_variation_is_placed(api: Api, ada: NewPlayer) -> None:
    (item,) = sent(api, ada, GOOD.replace("Pd1 1-0", "Pd1 (1. Pd2\nPa6 (1... Pa1)) 1-0"))
    assert (item["code"], item["line"], item["ply"]) == ("illegal-move", 7, 2)


@pytest.mark.parametrize("kind", [PGN, "text/plain", "text/plain; charset=utf-8"])
def test_what_a_service_gave_out_comes_in_again(api: Api, ada: NewPlayer, kind: str) -> None:
    (first,) = sent(api, ada, GOOD, kind)
    text = api.get(f"/games/{first['game']}", accept=PGN).text
    (second,) = sent(api, ada, text, kind)
    again = api.get(f"/games/{second['game']}", accept=PGN).text
    assert first["game"] != second["game"]
    assert without_service_tags(again) == without_service_tags(text)


@pytest.mark.parametrize("name", sorted(p.stem for p in Path("tests/data/broken").glob("*.pgn")))
def test_damaged_files(api: Api, ada: NewPlayer, data: Path, name: str) -> None:
    file = data / "broken" / f"{name}.pgn"
    items = sent(api, ada, file.read_bytes())
    lines = [
        f"{item['number']} ok"
        if item["status"] == "accepted"
        else "{number} quarantined {code} {line} {ply}".format(
            **{name: "-" if value is None else value for name, value in item.items()}
        )
        for item in items
    ]
    assert lines == file.with_suffix(".expected").read_text().splitlines()
    games = [item["game"] for item in items if item["status"] == "accepted"]
    assert sorted(map(str, games)) == sorted(s.id for s in api.service.log.streams("game"))


BAD = {
    "illegal": (TAGS.format("1-0", "Pd9"), "illegal-move"),
    "ambiguous": (TAGS.format("1-0", "Pd2 Sb7=O"), "ambiguous-move"),
    "cut off in a tag": (GOOD[:20], "syntax"),
    "cut off in the moves": (GOOD[:-6] + "{", "syntax"),
    "unknown variant": (GOOD.replace("katruji", "chess"), "unknown-variant"),
    "another game's result": (GOOD.replace("1-0\n", "0-1\n"), "wrong-result"),
    "a name too long": (GOOD.replace('"A"', f'"{"A" * 256}"'), "bad-value"),
    "a huge tag": (GOOD.replace("[Variant", f'[Event "{"x" * 500_000}"]\n[Variant'), "bad-value"),
    "too many tags": ("".join(f'[T{n} "x"]\n' for n in range(200)) + GOOD, "bad-value"),
    "rubbish": ("\0\1\2\3 no record at all", "syntax"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_game_leaves_nothing_behind_and_spoils_no_other(
    api: Api, ada: NewPlayer, name: str
) -> None:
    text, expected = BAD[name]
    before = api.snapshot()
    bad = sent(api, ada, text)
    assert [item["status"] for item in bad] == ["quarantined"] * len(bad)
    assert bad[-1]["code"] == expected or bad[-1]["code"] == "no-result"
    assert bad[-1]["detail"]
    assert api.snapshot() == before
    both = sent(api, ada, text + "\n\n" + GOOD)
    assert both[-1]["status"] == "accepted"


@pytest.mark.parametrize("raw", [bytes(range(256)) * 100, b"\xff\xfe" * 5000, b"\0" * 9999, b"["])
def test_binary_rubbish(api: Api, ada: NewPlayer, raw: bytes) -> None:
    before = api.snapshot()
    assert all(item["status"] == "quarantined" for item in sent(api, ada, raw))
    assert api.snapshot() == before


def test_an_empty_file_has_no_games(api: Api, ada: NewPlayer) -> None:
    assert sent(api, ada, b"") == []


def test_too_many_games_are_refused_as_a_whole(api: Api, ada: NewPlayer) -> None:
    before = api.snapshot()
    text = (TAGS.format("*", "") + "\n") * (MOST_GAMES + 1)
    answer = api.send("POST", "/imports", ada, text.encode(), PGN)
    assert error(answer) == (422, "bad-value")
    assert api.snapshot() == before


def test_the_same_name_is_the_same_player(api: Api, ada: NewPlayer) -> None:
    shown = [api.get(f"/games/{i['game']}").json for i in sent(api, ada, GOOD + "\n" + GOOD)]
    ids = {(game or {})["players"]["first"]["id"] for game in shown}
    assert len(ids) == 1
    player = api.get(f"/players/{ids.pop()}").json
    assert player is not None
    assert (player["name"], player["claimed"]) == ("A", False)


def test_other_requests_than_a_record(api: Api, ada: NewPlayer) -> None:
    before = api.snapshot()
    raw = GOOD.encode()
    for kind in ("application/json", "application/octet-stream", None):
        answer = api.send("POST", "/imports", ada, raw, kind)
        assert error(answer) == (415, "wrong-media-type")
    assert error(api.send("POST", "/imports", None, raw, PGN)) == (401, "missing-token")
    answer = api.send("POST", "/imports", ada, raw, PGN, query={"strict": "1"})
    assert error(answer) == (400, "bad-parameter")
    assert api.snapshot() == before
