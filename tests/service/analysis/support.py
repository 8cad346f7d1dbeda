"""Analyses for tests: small ones, and findings made up without a search."""

from __future__ import annotations

from notation.registry import find_dialect
from service.analysis.events import AnalysisBegun
from service.analysis.finding import Finding, FoundLine
from service.analysis.parameters import Parameters
from service.analysis.repository import Analyses
from service.analysis.state import AnalysisState, Looked
from service.analysis.target import Subject, make_game_subject, make_position_subject
from service.game.redaction import STRANGER, Viewer
from service.game.repository import Games

SMALL = Parameters(nodes=300)


def start_fen(variant: str = "katruji") -> str:
    """The start position of a game as FEN."""
    texts = find_dialect(variant)
    return texts.write_fen(texts.start({}))


def position(
    analyses: Analyses, parameters: Parameters = SMALL, by: str = "ada", variant: str = "katruji"
) -> Subject:
    """A game's start position as the subject of an analysis."""
    return make_position_subject(variant, start_fen(variant), parameters, analyses.build, by)


def game(
    analyses: Analyses,
    games: Games,
    id: str,
    viewer: Viewer = STRANGER,
    parameters: Parameters = SMALL,
) -> Subject:
    """A whole game as the subject of an analysis."""
    return make_game_subject(games.load(id), viewer, parameters, analyses.build)


def found(
    side: int = 0,
    chance: float = 0.5,
    played: str | None = None,
    best: str = "b3c4",
    choices: int = 20,
    plies_to_end: int | None = None,
) -> Finding:
    """A finding as a search might return it."""
    score = round(1000 * (chance - 0.5)) if plies_to_end is None else 32_000 * (chance > 0.5)
    line = FoundLine(score, plies_to_end, (best,), (best,))
    return Finding(
        side=side,
        played=played,
        choices=choices,
        depth=5,
        selective_depth=9,
        nodes=300,
        seconds=0.5,
        complete=True,
        worlds=1,
        chance=chance,
        score=score,
        plies_to_end=plies_to_end,
        lines=(line,),
    )


def analysed(*findings: Finding | None, variant: str = "katruji") -> AnalysisState:
    """An analysis of a game with these findings."""
    begun = AnalysisBegun(
        variant=variant,
        rules="1",
        view="full",
        build="b",
        parameters={"nodes": 300, "lines": 1, "seed": 0},
        positions=len(findings),
        game="g",
        version=1,
    )
    looked = tuple(
        Looked(version, finding, "" if finding else "it died")
        for version, finding in enumerate(findings, 2)
    )
    return AnalysisState("a", "ada", 0, begun, looked, version=len(findings) + 1)
