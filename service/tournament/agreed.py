"""The rules that a tournament's first event says were agreed for all of it."""

from __future__ import annotations

from service.tournament import events
from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.scheme import scheme_from_json
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import Edition, RankTerm
from service.tournament.table import TournamentKind
from service.tournament.values import TournamentRules


def read_rules(event: events.TournamentCreated) -> TournamentRules:
    """The agreed rules; raises BadValue or ValueError for impossible ones."""
    # The first form of the event had no position, the second no terms, the third no place.
    terms = event if isinstance(event, events.TournamentOnTerms) else None
    venue = event if isinstance(event, events.TournamentAtVenue) else None
    return TournamentRules(
        name=event.name,
        variant=event.variant,
        kind=TournamentKind(event.kind),
        regulations=read_regulations(event),
        rounds=event.rounds,
        cycles=event.cycles,
        knockout=KnockoutRules(**event.knockout),
        first_round_first=event.first_round_first,
        tags=event.tags,
        secret_choice=event.infiltrators,
        fen=event.fen if isinstance(event, events.TournamentSetUp) else None,
        time_control=None if terms is None else terms.time_control,
        rated=terms is None or terms.rated,
        no_show=None if terms is None else terms.no_show,
        over_the_board=venue is not None and venue.over_the_board,
        starts_on=None if venue is None else venue.starts_on,
        ends_on=None if venue is None else venue.ends_on,
    )


def read_regulations(event: events.TournamentCreated) -> Regulations:
    """The rules of the standings."""
    order = tuple(map(RankTerm, event.order))
    scheme, knockout = scheme_from_json(event.scoring), KnockoutRules(**event.knockout)
    return Regulations(scheme, order, Edition(event.edition), knockout)
