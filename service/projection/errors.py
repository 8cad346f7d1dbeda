"""What can go wrong with the read models.

ServiceError
├── BadCursor           a cursor of another question, or no cursor at all
├── AmbiguousName       more players have a name than are searched for together
├── RebuildStopped      the process that rebuilds is about to stop
├── RebuildSuperseded   another rebuild was begun; this one stops
├── LogBehind           the log has lost what the read models know
└── DatabaseError       the database of the read models cannot do what it is asked to
    ├── DatabaseFull    it has no room for another row
    ├── DatabaseLocked  others held it for too long
    ├── DatabaseAway    it cannot be reached or opened
    ├── DatabaseDamaged it does not hold what it should
    ├── DatabaseSlow    it did not answer in the time that the caller could wait
    └── NewerDatabase   a newer version of the service wrote it
"""

from __future__ import annotations

from typing import ClassVar

from service.errors import ServiceError
from service.storage.errors import CHECK_FILES


class BadCursor(ServiceError):
    """A cursor that does not come from a page of this very question."""

    code = "bad-cursor"
    message = "the cursor is not the next_cursor of an earlier page with the same filters and sort"


class AmbiguousName(ServiceError):
    """More than `limit` players have the words of a name in theirs."""

    code = "ambiguous-name"
    message = (
        "more than {limit} players are called {name!r}; give more of the name, or the id of one"
    )
    name: str
    limit: int


class RebuildSuperseded(ServiceError):
    """A later rebuild has taken this one's place; what this one had built is gone."""

    code = "rebuild-superseded"
    message = "rebuild {generation} was replaced by another rebuild"
    generation: int


class RebuildStopped(ServiceError):
    """The rebuilding process is about to stop; what was built is gone, the old rows stay in use."""

    code = "rebuild-stopped"
    message = "the rebuild was stopped; start it again"


class LogBehind(ServiceError):
    """The read models know events of these `partitions` that the log has lost."""

    code = "log-behind"
    message = (
        "the lists have events that the log has lost in partitions {partitions}, as after a"
        " failover: they are being repaired"
    )
    partitions: list[int]


class DatabaseError(ServiceError):
    """Base of the errors of the read models' database; nothing of the change was written.

    `public` is what everybody may be shown. The message is for operators alone, since it may name
    files, hosts and users.
    """

    code = "database-error"
    public: ClassVar[str]


class DatabaseFull(DatabaseError):
    """The disk has no room for what was to be written, or the database has reached its limit."""

    code = "database-full"
    message = "the database of the lists is full; make room on its disk"
    public = "the database of the lists is full until an operator makes room; games go on"


class DatabaseLocked(DatabaseError):
    """Somebody else held a lock for longer than this change or question could wait."""

    code = "database-locked"
    message = "the database of the lists is locked by another process; try again"
    public = "the database of the lists is locked; games go on; try again"


class DatabaseAway(DatabaseError):
    """The database cannot be reached, or its files cannot be opened, for a `reason`.

    `place` is what an operator should check.
    """

    code = "database-away"
    message = "the database of the lists cannot be reached ({reason}); check {place}"
    public = "the database of the lists cannot be reached; games go on; try again later"
    reason: str
    place: str = CHECK_FILES


class DatabaseDamaged(DatabaseError):
    """The database can be reached and does not hold what it should, for a `reason`."""

    code = "database-damaged"
    message = (
        "the database of the lists is damaged ({reason}); `movelog rebuild` rebuilds it from the"
        " log"
    )
    public = "the database of the lists is damaged until an operator repairs it; games go on"
    reason: str


class DatabaseSlow(DatabaseError):
    """The database did not answer a question in the short time that the caller could wait."""

    code = "database-slow"
    message = "the database of the lists takes too long"
    public = "the database of the lists takes too long; games go on; try again"


class NewerDatabase(DatabaseError):
    """The database has a `revision` that this version of the service does not know."""

    code = "database-newer"
    message = (
        "the database of the lists has the schema {revision}, which this version does not know; "
        "start the newer version again, or remove the database and run `movelog rebuild`"
    )
    public = "a newer version of this service has written its lists; an operator has to update it"
    revision: str
