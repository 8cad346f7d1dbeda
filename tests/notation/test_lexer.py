from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.lexer import (
    MAX_SYMBOL,
    TokenKind,
    find_symbol,
    list_symbols,
    split_rows,
    split_tokens,
)

TEXTS = st.text() | st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            '"',
            "\\",
            "$1",
            "%",
            ";",
            "\n",
            "1",
            ".",
            "-",
            "Pd1",
            "1-0",
            "!?",
            "*",
            "[A ",
        ]
    )
).map("".join)


def kinds(text: str) -> list[tuple[TokenKind, str]]:
    return [(TokenKind(k := str(token.lastgroup)), token[k]) for token in split_tokens(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('[Event "a b"]', TokenKind.TAG),
        (r'[ Event  "say \"x\" \\" ]', TokenKind.TAG),
        ("Pd1", TokenKind.SYMBOL),
        ("Sd1=O", TokenKind.SYMBOL),
        ("I@c3", TokenKind.SYMBOL),
        ("Ce7&d8=T", TokenKind.SYMBOL),
        ("R:f11+", TokenKind.SYMBOL),
        ("--", TokenKind.SYMBOL),
        ("0-0", TokenKind.SYMBOL),
        ("0-0-0", TokenKind.SYMBOL),
        ("12Kyan", TokenKind.SYMBOL),
        ("12.", TokenKind.NUMBER),
        ("12...", TokenKind.NUMBER),
        ("12", TokenKind.NUMBER),
        ("...", TokenKind.NUMBER),
        ("1-0", TokenKind.RESULT),
        ("0-1", TokenKind.RESULT),
        ("1/2-1/2", TokenKind.RESULT),
        ("1/2", TokenKind.RESULT),
        ("*", TokenKind.RESULT),
        ("$255", TokenKind.GLYPH),
        ("!?", TokenKind.SUFFIX),
        ("{a [b] (c)\n;d}", TokenKind.COMMENT),
        ("; to the end } {", TokenKind.LINE_COMMENT),
        ("% passed over", TokenKind.ESCAPE),
        ("(", TokenKind.OPEN),
        (")", TokenKind.CLOSE),
    ],
)
def test_each_kind_of_token(text: str, kind: TokenKind) -> None:
    assert kinds(text) == [(kind, text)]
    assert kinds(f" \t\r\n\f\v\n{text} \n") == [(kind, text + " " * (kind in TO_LINE_END))]


TO_LINE_END = (TokenKind.LINE_COMMENT, TokenKind.ESCAPE)


def test_tokens_need_no_white_space_between_them() -> None:
    texts = [text for _, text in kinds("1.Pd1!{x}1...Pa7$2(")]
    assert texts == ["Pd1", "!", "{x}", "Pa7", "$2", "("]


@pytest.mark.parametrize("text", ["12.Pd1", "12. Pd1", "12...\n Pd1"])
def test_a_number_directly_before_an_action_is_no_token(text: str) -> None:
    assert kinds(text) == [(TokenKind.SYMBOL, "Pd1")]


@pytest.mark.parametrize("text", ["12", "12. {x}", "12. ...", "12. 1-0", "12. 12", "12. --"])
def test_any_other_number_is_one(text: str) -> None:
    assert kinds(text)[0] == (TokenKind.NUMBER, text.partition(" ")[0])


def test_a_tag_has_a_name_and_a_value() -> None:
    (token,) = split_tokens('[ Own  "a \\"b\\"" ]')
    assert (token["name"], token["value"]) == ("Own", 'a \\"b\\"')


def test_an_escape_begins_in_the_first_column_alone() -> None:
    assert kinds("Pd1 % no")[1] == (TokenKind.BAD, "%")
    assert kinds("Pd1\n% yes\nPa7")[1][0] is TokenKind.ESCAPE


@pytest.mark.parametrize(
    "text", ["{ open", "}", "[Event", '[A "b', '"x"', "$", "~", "ü", "\x00", "<", "]"]
)
def test_what_cannot_be_read_ends_the_tokens(text: str) -> None:
    found = kinds(f"Pd1 {text} Pa7")
    assert found[0] == (TokenKind.SYMBOL, "Pd1")
    assert found[1] == (TokenKind.BAD, text[0])
    assert len(found) == 2


@given(TEXTS)
def test_no_character_is_lost_or_read_twice(text: str) -> None:
    blank = " \t\r\n\f\v"
    end = len(text) - len(text.lstrip(blank))
    for token in split_tokens(text):
        assert token.start() == end
        kind = str(token.lastgroup)
        before, behind = text[end : token.start(kind)], text[token.end(kind) : token.end()]
        assert re.fullmatch(r"(?:[0-9]+\.+\s*)?", before, re.ASCII)
        assert token[kind]
        assert kind == TokenKind.BAD or behind.strip(blank) == ""
        end = token.end()
    assert end == len(text)


ROWS = st.lists(
    st.sampled_from(
        [
            "Pd1",
            "1.",
            " ",
            "2. ",
            "\n",
            "--",
            "12Kyan",
            "1-0",
            "*",
            "!",
            "{x}",
            "(",
            "e4",
            "x" * 255,
        ]
    )
).map("".join)


@given(TEXTS | ROWS)
def test_rows_are_the_same_tokens_together(text: str) -> None:
    """Tokens lexed in rows have the same text and place as those lexed one by one."""
    parted = []
    for token in split_rows(text):
        kind = str(token.lastgroup)
        if kind == TokenKind.SYMBOLS:
            symbols = list_symbols(token[kind])
            assert len(symbols) > 1
            parted += [
                (TokenKind.SYMBOL, symbol, find_symbol(text, token.start(), index))
                for index, symbol in enumerate(symbols)
            ]
        else:
            parted.append((TokenKind(kind), token[kind], token.start(kind)))
    assert parted == [
        (TokenKind(kind), token[kind], token.start(kind))
        for token in split_tokens(text)
        for kind in [str(token.lastgroup)]
    ]


def test_a_symbol_that_is_too_long_is_in_no_row() -> None:
    long = "x" * (MAX_SYMBOL + 1)
    found = [str(token.lastgroup) for token in split_rows(f"e4 e5 {long} d4 d5")]
    assert found == [TokenKind.SYMBOLS, TokenKind.SYMBOL, TokenKind.SYMBOLS]
