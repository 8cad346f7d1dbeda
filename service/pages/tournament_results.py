"""A round's results as typed by an organiser: one list, with a sign for each board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.languages.texts import gettext, mark
from service.pages.api_client import ApiRefused
from service.pages.forms import read_number
from service.pages.site import flatten_errors, pages

SIGNS: Final = {
    "1": "1-0",
    "0": "0-1",
    "=": "1/2-1/2",
    "+": "+/-",
    "-": "-/+",
    "x": "-/-",
}
"""What is typed for each result."""
ALSO: Final = {"½": "=", "5": "=", ".5": "=", "0.5": "=", "1/2": "=", "0-0": "x", "--": "x"}
"""Further ways to type some of them."""
FIELD: Final = re.compile(r"result\.([1-9][0-9]{0,4})")
LISTED: Final = re.compile(r"results\.([0-9]+)\.([a-z]+).*")
"""How a problem names a member of one of the results."""
SAID: Final = {"points": mark("Game points are two numbers, the first side's first, as in 4-2.")}
"""Messages about a member that replace the API's words."""
UNEXPLAINED: Final = mark("It has a result already: say why you are changing it.")
"""The message about a result changed without a reason; it follows the number of the board."""


@pages.app_template_filter("sign")
def find_sign(result: str) -> str:
    """What is typed for a result; empty for a game without one.

    >>> find_sign("1/2-1/2"), find_sign("*")
    ('=', '')
    """
    return next((sign for sign, meant in SIGNS.items() if meant == result), "")


@pages.app_template_filter("scored")
def write_result(result: str) -> str:
    """A result as it is printed: `½–½`; empty for a game without one."""
    return {"*": "", "1/2-1/2": "½–½"}.get(result, result.replace("-", "–", 1))


@pages.app_context_processor
def list_signs() -> dict[str, Mapping[str, str]]:
    """What forms list as possible input, with the result that each sign denotes."""
    return {"signs": {sign: write_result(result) for sign, result in SIGNS.items()}}


def read_results(form: Mapping[str, str]) -> dict[str, Any]:
    """The command that sets the results which differ from what the form showed.

    For board 3 the form has `result.3`, as typed, `was.3`, what it showed, and may have
    `points.3` and `reason.3`. Raises ApiRefused if nothing new or an invalid result is typed.
    """
    found, wrong = [], dict[str, str]()
    for board, typed in list_typed(form):
        sign = ALSO.get(typed, typed)
        points = form.get(f"points.{board}", "").strip()
        if sign == form.get(f"was.{board}", "") and points == form.get(f"had.{board}", ""):
            continue
        result = SIGNS.get(sign) or (typed if typed in SIGNS.values() else None)
        if result is None:
            text = gettext("“%(typed)s” is not a result. Type one of %(signs)s")
            wrong[board] = text % {"typed": typed, "signs": " ".join(SIGNS)}
            continue
        one: dict[str, Any] = {"board": int(board), "result": result}
        if points:
            one["points"] = read_points(points)
        if reason := form.get(f"reason.{board}", "").strip():
            one["reason"] = reason
        found.append(one)
    if not found and not wrong:
        nothing = {
            gettext("Results"): [gettext("Nothing new was typed. Type 1, 0 or = beside a board.")]
        }
        raise ApiRefused({"status": 422, "code": "invalid-request", "errors": nothing})
    if wrong:
        raise ApiRefused(describe_boards(wrong))
    return {"type": "results", "round": read_number(form.get("round", "")), "results": found}


def describe_boards(wrong: Mapping[str, str]) -> dict[str, Any]:
    """The problem for a form with wrong `boards`, each with its reason."""
    errors = {
        gettext("Board %(board)s", board=board): [gettext(reason)]
        for board, reason in wrong.items()
    }
    return {"status": 422, "code": "invalid-request", "errors": errors, "boards": dict(wrong)}


def name_boards(problem: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The problem with the `boards` that it is about, if it names places in the list of results.

    >>> body = {"results": [{"board": 4, "result": "1-0", "reason": "\\n"}]}
    >>> told = {"code": "bad-value", "field": "results.0.reason", "detail": "results.0.reason: no"}
    >>> name_boards(told, body)["boards"]
    {'4': 'no'}
    """
    said = dict(flatten_errors(problem.get("errors") or {}))
    if field := problem.get("field"):
        said[field] = str(problem["detail"]).removeprefix(f"{field}: ")
    wrong: dict[str, str] = {}
    # The names of players who cannot enter may look like fields.
    results = body.get("results", [])
    for field, reason in said.items():
        if (place := LISTED.fullmatch(field)) and int(place[1]) < len(results):
            result = results[int(place[1])]
            wrong[str(result["board"])] = describe_fault(result, place[2], reason)
    return describe_boards(wrong) if wrong else problem


def describe_fault(result: Mapping[str, Any], member: str, reason: str) -> str:
    """The message about a result that was refused because of one of its members.

    >>> describe_fault({"board": 4, "result": "1-0"}, "reason", "board 4 has a result")
    'It has a result already: say why you are changing it.'
    """
    if member == "reason" and not result.get("reason"):
        return UNEXPLAINED
    return SAID.get(member, reason)


def list_typed(form: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The boards in a form with what is typed for each, without those left empty."""
    for name, value in form.items():
        if (field := FIELD.fullmatch(name)) and value.strip():
            yield field[1], value.strip().lower()


def read_points(text: str) -> list[int | str]:
    """Both sides' game points, typed as `4-2`.

    >>> read_points("4 - 2")
    [4, 2]
    """
    return [read_number(one.strip()) for one in text.split("-")]


def find_correction(body: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]]) -> int | None:
    """The round in which a command changed an existing result; None if it did not."""
    if body.get("type") not in ("results", "rule", "lift-ruling"):
        return None
    boards = {one["board"] for one in body.get("results", [body])}
    for round in rounds:
        for pair in round["pairings"]:
            if (
                round["number"] == body["round"]
                and pair["board"] in boards
                and pair["result"] != "*"
            ):
                return int(round["number"])
    return None
