"""TRF reports: written, read back, read by the pairing library, and refused."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.side import Side
from service.tournament.reporting import derive_events, make_creation
from service.tournament.scheme import STANDARD, THREE_POINTS, ScoringScheme
from service.tournament.standings import RankTerm, Regulations, standings
from service.tournament.table import (
    Bye,
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)
from service.tournament.trf import (
    Details,
    Report,
    ReportedPlayer,
    ReportedRound,
    RequestedBye,
    read_trf,
    report_of,
    scheme_of,
    table_of,
    write_trf,
)
from service.tournament.trf.errors import BadTrf, Inconsistent, NotReportable
from tests.service.tournament.standings.support import BYES, draw_rounds
from tests.service.tournament.standings.test_published import load
from tests.service.tournament.standings.test_published import table_of as published

BY_POINTS: Final = Regulations(STANDARD, (RankTerm.MATCH_POINTS, RankTerm.BUCHHOLZ_CUT_1))
DETAILS: Final = Details("Spring Open", "Vilnius", "LTU", "2026/03/01", "2026/03/03")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any Swiss of five in which everybody has a game or a bye in every round."""
    names = [EntrantId(str(number)) for number in range(1, 6)]
    entrants = tuple(
        Entrant(name, seed, f"Player {seed}", draw(st.none() | st.integers(1, 2999)))
        for seed, name in enumerate(names, 1)
    )
    rounds = draw(st.integers(0, 4))

    def meet(round: int, first: EntrantId, second: EntrantId) -> Meeting:
        result = draw(st.none() | st.sampled_from(Result))
        rated = result is None or not result.played or draw(st.booleans())
        return Meeting(round, first, second, result, rated=rated)

    meetings, byes = draw_rounds(draw, names, rounds, meet, st.sampled_from(BYES))
    ahead = draw(st.none() | st.sampled_from([Mark.FULL_BYE, Mark.HALF_BYE, Mark.ZERO_BYE]))
    if ahead and rounds:
        byes += (Bye(rounds + 1, draw(st.sampled_from(names)), ahead),)
    return Table(TournamentKind.SWISS, rounds, entrants, meetings, byes)


@settings(max_examples=40)
@given(tables(), st.sampled_from([STANDARD, THREE_POINTS]))
def test_a_tournament_comes_back_from_its_report(table: Table, scheme: ScoringScheme) -> None:
    regulations = replace(BY_POINTS, scheme=scheme)
    report = report_of(table, regulations, DETAILS, 9, True)
    text = write_trf(report)
    read = read_trf(text)
    assert read == report
    assert write_trf(read) == text
    back = table_of(read, TournamentKind.SWISS)
    assert set(back.meetings) == set(table.meetings)
    assert set(back.byes) == set(table.byes)
    assert (back.rounds, back.entrants) == (table.rounds, table.entrants)
    assert scheme_of(read) == scheme
    assert standings(back, regulations) == standings(table, regulations)


words = st.text("abcXYZ -,'", max_size=20).map(lambda text: " ".join(text.split()))
cells = st.one_of(
    st.builds(
        ReportedRound,
        st.integers(1, 9999),
        st.sampled_from(Side),
        st.sampled_from(["", *"1=0WDL+-"]),
    ),
    st.builds(ReportedRound, st.none(), st.none(), st.sampled_from(["", *"HFUZ"])),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    rounds = draw(st.integers(0, 3))
    numbers = draw(st.lists(st.integers(1, 9999), unique=True, max_size=4))
    told = [ReportedRound(1, Side.FIRST, "1")][:rounds]
    players = tuple(
        ReportedPlayer(
            number,
            draw(words),
            draw(st.none() | st.integers(1, 9999)),
            Decimal(draw(st.integers(-99, 999))) / 10,
            draw(st.integers(0, 9999)),
            (*[draw(cells) for _ in range(rounds - 1)], *told),
            sex=draw(st.sampled_from("mw")),
            title=draw(st.sampled_from(["", "GM", "WIM"])),
            federation=draw(st.sampled_from(["", "LTU"])),
            id=draw(st.sampled_from(["", "12345678"])),
            born=draw(st.sampled_from(["", "1990/01/02"])),
        )
        for number in sorted(numbers)
    )
    codes = ["W", "D", "L", "FW", "FL", "PAB", "FPB", "HPB", "ZPB"]
    points = st.fixed_dictionaries(
        {code: st.integers(0, 99).map(lambda tenths: Decimal(tenths) / 10) for code in codes}
    )
    byes = {
        (draw(st.integers(1, 99)), draw(st.sampled_from("FHZ")), number)
        for number in draw(st.lists(st.integers(1, 9999), max_size=4))
    }
    return Report(
        Details(
            draw(words),
            arbiter=draw(words),
            times=draw(words),
            deputies=tuple(draw(st.lists(words.filter(bool), max_size=2))),
            dates=draw(st.sampled_from([(), ("26/03/01",), ("26/03/01", "26/03/02")])),
        ),
        players,
        draw(st.none() | st.integers(1, 99)),
        draw(st.none() | st.booleans()),
        draw(st.just({}) | points),
        draw(st.sampled_from([(), ("PTS",), ("PTS", "BH/C1", "DE")])),
        tuple(RequestedBye(kind, round, number) for round, kind, number in sorted(byes)),
    )


@settings(max_examples=50)
@given(reports())
def test_any_report_comes_back_from_its_text(report: Report) -> None:
    assert read_trf(write_trf(report)) == report


def test_the_library_reads_the_reports_and_finds_them_consistent(tmp_path: Path) -> None:
    """Another reader finds the values in their columns."""
    library = pytest.importorskip("py4swiss.trf", reason="no build for this machine")
    table = published(load("fide-exercises-swiss"))
    for scheme in (STANDARD, THREE_POINTS):
        regulations = replace(BY_POINTS, scheme=scheme)
        file = tmp_path / f"{scheme.name}.trf"
        file.write_text(write_trf(report_of(table, regulations, DETAILS, 9, False)), newline="")
        parsed = library.TrfParser.parse(file)
        parsed.validate_contents()
        section = parsed.player_sections[8]
        assert (section.name, section.fide_rating, section.rank) == ("Jessica", 1800, 15)
        assert section.points_times_ten == (15 if scheme is STANDARD else 40)
        assert "".join(each.result.value for each in section.results) == "00H-U"
        assert parsed.x_section.number_of_rounds == 9
        assert parsed.x_section.configuration.first_round_color is False


ONE: Final = "001    1 m GM One".ljust(48) + "2500 ABC    12345678 1990/01/02  1.0    1     2 w 1"
TWO: Final = "001    2      Two".ljust(80) + " 0.0    2     1 b 0  0000 - ="
PLAYED: Final = f"""\
012 Club evening\r
### a comment
{ONE}
{TWO}
\r
013 A team                              1    2
XXR 5
XXC rank black1
XXS W=3.0 D=1.0 PAB=2
XXZ 1
240 h 004    2
"""


def test_what_the_reader_is_lenient_with() -> None:
    report = read_trf("\ufeff" + PLAYED)
    assert report.details == Details("Club evening", other=("013 A team" + " " * 30 + "1    2",))
    one, two = report.players
    assert (one.sex, one.title, one.id, one.federation) == ("m", "GM", "12345678", "ABC")
    assert one.rounds == (ReportedRound(2, Side.FIRST, "1"), ReportedRound())
    assert two.rounds[1] == ReportedRound(None, None, "H")
    assert (report.planned, report.first_round_first) == (5, False)
    assert report.byes == (RequestedBye("Z", 3, 1), RequestedBye("H", 4, 2))
    scheme = scheme_of(report)
    assert (scheme.name, scheme.match[Mark.FORFEIT_WIN]) == ("report", Decimal(3))
    assert scheme.match[Mark.PAIRING_BYE] == Decimal(2)


def test_points_are_read_from_either_record() -> None:
    assert scheme_of(read_trf("162  W 3.0    D 1.0    P 3.0")) == THREE_POINTS
    assert scheme_of(read_trf("162  W 3.0    D 1.0    P 3.0\nXXS W=1 D=0.5 PAB=1")) == STANDARD


LINE: Final = "001    1      One".ljust(80) + " 0.0    1  "


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("012 x\n001 abcd", 2, 5),
        ("001    0 ", 1, 5),
        (f"{LINE}\n{LINE}", 2, 5),
        (LINE.replace(" 0.0", " x.0"), 1, 81),
        (LINE.replace(" 0.0", " Inf"), 1, 81),
        (f"{LINE}   z w 1", 1, 92),
        (f"{LINE}   2 x 1", 1, 97),
        (f"{LINE}   2 w ?", 1, 99),
        (f"{LINE}   2 w 1     3 w ?", 1, 109),
        ("142 five", 1, 5),
        ("142 5\nXXR 6", 2, 5),
        ("152 G", 1, 5),
        ("162  Q 1.0", 1, 6),
        ("162  W one", 1, 7),
        ("XXS Q=1", 1, 5),
        ("240 X 001    1", 1, 5),
        ("240 H          1", 1, 7),
        ("XXZ one", 1, 5),
        # Values too long to be meant, which would take for ever.
        (f"142 {'9' * 5000}", 1, 5),
        (f"XXZ {'9' * 5000}", 1, 5),
        ("XXS W=1E99999999999", 1, 5),
        (f"{LINE}{'  0000 - U' * 101}", 1, 1092),
    ],
)
def test_what_is_no_report_is_refused_by_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(BadTrf) as refusal:
        read_trf(text)
    assert (refusal.value.line, refusal.value.column) == (line, column)


def test_a_name_with_odd_separators_stays_in_its_line() -> None:
    name = "Line\u2028Feed\x85\x1cNext"
    (read,) = read_trf(LINE.replace("One".ljust(len(name)), name)).players
    assert read.name == name
    written = write_trf(Report(DETAILS, (replace(read, name=f"A\r\n001    2 {name}"),)))
    assert sum(line.startswith("001") for line in written.splitlines()) == 1


def player(number: int, *rounds: ReportedRound) -> ReportedPlayer:
    return ReportedPlayer(number, rounds=rounds)


FIRST, SECOND = Side.FIRST, Side.SECOND


@pytest.mark.parametrize(
    "players",
    [
        [player(1, ReportedRound(2, FIRST, "1"))],
        [player(1, ReportedRound(1, FIRST, "1"))],
        [player(1, ReportedRound(2, FIRST, "1")), player(2)],
        [player(1, ReportedRound(2, FIRST, "1")), player(2, ReportedRound(2, SECOND, "0"))],
        [player(1, ReportedRound(2, FIRST, "1")), player(2, ReportedRound(1, FIRST, "0"))],
        [player(1, ReportedRound(2, None, "1")), player(2, ReportedRound(1, None, "0"))],
        [player(1, ReportedRound(2, FIRST, "1")), player(2, ReportedRound(1, SECOND, "1"))],
        [player(1, ReportedRound(None, None, "W"))],
    ],
)
def test_players_who_contradict_each_other_are_refused(players: list[ReportedPlayer]) -> None:
    with pytest.raises(Inconsistent):
        table_of(Report(players=tuple(players)), TournamentKind.SWISS)


def report_round_robin(*rounds: str) -> Report:
    """A report of six players; each round is a line of pairings such as `1-6 2-5 3-4`."""
    lines: dict[int, list[ReportedRound]] = {number: [] for number in range(1, 7)}
    for number, round in enumerate(rounds, 1):
        for first, second in (map(int, pair.split("-")) for pair in round.split()):
            lines[first].append(ReportedRound(second, Side.FIRST, "1"))
            lines[second].append(ReportedRound(first, Side.SECOND, "0"))
        for line in lines.values():
            line += [ReportedRound()] * (number - len(line))
    return Report(
        Details("All"),
        tuple(ReportedPlayer(n, f"P{n}", rounds=tuple(line)) for n, line in lines.items()),
    )


BERGER: Final = ("1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1")
NAMES: Final = {f"P{number}": f"p{number}" for number in range(1, 7)}


def test_an_unfinished_round_robin_follows_the_berger_table() -> None:
    for rounds in (BERGER[:2], ("6-1 2-5", BERGER[1]), BERGER[::-1]):
        derive_events(report_round_robin(*rounds), TournamentKind.ROUND_ROBIN, NAMES)
    swapped = report_round_robin(BERGER[0], BERGER[2])
    with pytest.raises(Inconsistent, match=r"player 2, round 2: .*player 6, but player 1 in"):
        derive_events(swapped, TournamentKind.ROUND_ROBIN, NAMES)
    derive_events(swapped, TournamentKind.SWISS, NAMES)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2026/03/01", "2026/03/03", ("2026-03-01", "2026-03-03")),
        ("2026-03-01", "", ("2026-03-01", None)),
        ("01.03.26", "2026/02/30", (None, None)),
        ("2026/03/03", "2026/03/01", ("2026-03-03", None)),
    ],
)
def test_an_imported_tournament_was_played_over_the_board_on_the_days_of_its_report(
    start: str, end: str, days: tuple[str | None, str | None]
) -> None:
    made = make_creation(
        Report(Details("Open", start=start, end=end)), "kerak", TournamentKind.SWISS
    )
    assert (made.starts_on, made.ends_on) == days
    assert (made.rated, made.over_the_board) == (False, True)


def test_a_bye_of_nobody_is_refused() -> None:
    with pytest.raises(Inconsistent):
        table_of(Report(byes=(RequestedBye("H", 1, 1),)), TournamentKind.SWISS)


@pytest.mark.parametrize(
    "report",
    [
        Report(players=(player(12345),)),
        Report(players=(replace(player(1), points=Decimal(1000)),)),
        Report(players=(replace(player(1), points=Decimal("0.25")),)),
    ],
)
def test_what_does_not_fit_the_columns_is_refused(report: Report) -> None:
    with pytest.raises(NotReportable):
        write_trf(report)


def test_two_games_in_a_round_have_no_place() -> None:
    one, two = Entrant(EntrantId("1"), 1), Entrant(EntrantId("2"), 2)
    games = (Meeting(1, one.id, two.id, Result.DRAW), Meeting(1, two.id, one.id, Result.DRAW))
    with pytest.raises(NotReportable):
        report_of(Table(TournamentKind.FREE, 1, (one, two), games), BY_POINTS, DETAILS)


def test_an_order_with_game_points_is_not_reported() -> None:
    regulations = Regulations(STANDARD, (RankTerm.MATCH_POINTS, RankTerm.GAME_POINTS))
    table = published(load("fide-exercises-round-robin"))
    assert report_of(table, regulations, DETAILS).order == ()
    assert report_of(table, BY_POINTS, DETAILS).order == ("PTS", "BH/C1")


@pytest.mark.parametrize(
    ("codes", "order"),
    [
        (("PTS", "XYZ", "BH/C1"), ["match-points", "buchholz-cut-1"]),
        (("BH", "SB"), []),
        ((), []),
    ],
)
def test_codes_that_are_not_known_are_left_out_of_the_order(
    codes: tuple[str, ...], order: list[str]
) -> None:
    report = Report(Details(name="Cup"), order=codes)
    assert list(make_creation(report, "kerak", TournamentKind.SWISS).order) == order
