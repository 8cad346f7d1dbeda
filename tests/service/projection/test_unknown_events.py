"""An older version beside a newer one leaves to it what it cannot read."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from service.composition.projector import list_projections
from service.composition.service import CODEC, Service
from service.game.repository import Games
from service.log.codec import Codec
from service.log.declarations import event
from service.log.redis import RedisEventLog
from service.log.values import Append, Event, StreamId
from service.player.state import stream_of
from service.projection.leases.share import LeasedShare, Share
from service.projection.leases.table import LeaseTable
from service.projection.projector import Projector
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.projection.support import create, listed, project, ticking
from tests.waiting import eventually

ADMIN = "admin"


@event("nickname-given/1")
class NicknameGiven(Event):
    """An event that only the newer version knows."""

    nickname: str


NEWER = Codec({**CODEC.classes, NicknameGiven.stored_name: NicknameGiven})


@pytest.fixture
def shares(service: Service) -> Iterator[tuple[LeasedShare, LeasedShare]]:
    table = LeaseTable(service.store, service.log.partitions)
    made = LeasedShare(table, "old"), LeasedShare(table, "new")
    yield made
    for share in made:
        share.leave()


def give_nickname(service: Service, player: str) -> StreamId:
    """Append an event that the older version does not know."""
    stream = stream_of(player)
    newer = RedisEventLog(service.store, NEWER)
    version = newer.version(stream)
    newer.append(
        Append(stream=stream, expected=version, events=[NicknameGiven(nickname="x")], at=0, by="x")
    )
    return stream


def projector_of(service: Service, share: Share) -> Projector:
    return Projector(service.games, service.database, list_projections(service), share=share)


@pytest.mark.slow
def test_a_partition_with_an_unknown_event_waits_for_a_newer_version(
    service: Service,
    shares: tuple[LeasedShare, LeasedShare],
    caplog: pytest.LogCaptureFixture,
) -> None:
    old, new = shares
    projector = projector_of(service, old)
    ada = service.players.unclaimed("Ada", ADMIN)
    project(projector)
    stream = give_nickname(service, ada)
    partition = service.log.partition(stream)
    before = projector.written[partition]
    with caplog.at_level(logging.ERROR):
        project(projector)
    assert f"{stream} cannot be projected by this version" in caplog.text
    assert "was it written by a newer version?" in caplog.text
    assert f"partitions {partition} are left to projectors of a newer version" in caplog.text
    # No event is lost, and everything else goes on.
    assert service.checkpoints.load(64)[partition] == before
    others = [f"g{n}" for n in range(40)]
    others = [id for id in others if service.log.partition(StreamId("game", id)) != partition]
    for id in others:
        create(service.games, id)
    project(projector)
    assert sorted(listed(service.database)) == sorted(others)
    assert service.checkpoints.count_behind(service.log) == 1
    # The newer version takes the partition, and continues where it was left.
    eventually(lambda: [len(share.partitions()) for share in shares] == [32, 32])
    assert partition in new.partitions()
    assert old.partitions() | new.partitions() == frozenset(range(64))
    games = Games(RedisEventLog(service.store, NEWER), ticking(), NO_TOURNAMENTS)
    project(Projector(games, service.database, share=new))
    assert service.checkpoints.count_behind(service.log) == 0
