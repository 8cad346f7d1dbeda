from __future__ import annotations

import pytest

from notation.errors import (
    AfterTheEnd,
    AmbiguousMove,
    BadAnnotation,
    BadCommitment,
    BadFen,
    BadSquare,
    IllegalMove,
    NoCombat,
    NotationError,
    RecordError,
    UnreadableToken,
)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (BadFen("side", "is missing"), "bad-fen", "side: is missing"),
        (BadCommitment("WhiteCommitment", "differs"), "bad-commitment", "WhiteCommitment: differs"),
        (BadAnnotation("comment", "is empty"), "bad-annotation", "comment: is empty"),
        (BadSquare("from", "z9 is none"), "bad-square", "from: z9 is none"),
        (NoCombat("go"), "no-combat", "go: captures need no strength in this game"),
        (UnreadableToken("x", "no form"), "illegal-move", "x: no form"),
        (IllegalMove("x", "no", ("y", "z")), "illegal-move", "x: no; nearest: y, z"),
        (AmbiguousMove("x", "two", ("y", "z")), "ambiguous-move", "x: two; nearest: y, z"),
        (AfterTheEnd("x", "over"), "after-the-end", "x: over"),
        (RecordError("syntax", "why"), "syntax", "why"),
        (
            RecordError("illegal-move", "why", line=1, column=2, ply=3, token="x", nearest=("y",)),
            "illegal-move",
            "line 1, column 2, ply 3: why; nearest: y",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_has_a_code_and_a_sentence(error: NotationError, code: str, sentence: str) -> None:
    assert (error.code, str(error)) == (code, sentence)
