"""Saves the data directory of a running service, as it would be after its end.

    python -m tests.end_to_end.write_store DATA FILE

FILE is a tar archive with the keys, the files of imports, and the log as `redis/appendonly.aof`:
commands that every version of Redis and Valkey reads. It includes the read models kept in Redis.
`tests/data/archives/README.md` explains the purpose.
"""

from __future__ import annotations

import io
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis

KEPT = ("secret.key", "choice.key", "signing.key", "admin.token", "imports")


def commands(store: redis.Redis) -> Iterator[list[Any]]:
    """Yield the commands that recreate all keys of a store."""
    answers: Any = store
    yield ["SELECT", "0"]
    for key in sorted(answers.keys()):
        match answers.type(key):
            case b"string":
                yield ["SET", key, answers.get(key)]
            case b"hash":
                for field, value in sorted(answers.hgetall(key).items()):
                    yield ["HSET", key, field, value]
            case b"set":
                yield ["SADD", key, *sorted(answers.smembers(key))]
            case b"list":
                yield ["RPUSH", key, *answers.lrange(key, 0, -1)]
            case b"zset":
                for member, score in answers.zrange(key, 0, -1, withscores=True):
                    yield ["ZADD", key, repr(score), member]
            case b"stream":
                for id, fields in answers.xrange(key):
                    yield ["XADD", key, id, *(part for pair in fields.items() for part in pair)]
        if (expires := answers.pexpiretime(key)) > 0:
            yield ["PEXPIREAT", key, str(expires)]


def as_log(store: redis.Redis) -> bytes:
    """The commands in the format of an append-only file."""
    log = bytearray()
    for command in commands(store):
        parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
        log += b"*%d\r\n" % len(parts)
        for part in parts:
            log += b"$%d\r\n%s\r\n" % (len(part), part)
    return bytes(log)


def main(data: Path, file: Path) -> None:
    """Write the archive for the data directory of a running service."""
    log = as_log(redis.Redis(unix_socket_path=str(data / "redis.sock")))
    with tarfile.open(file, "w:xz") as archive:
        for name in KEPT:
            if (data / name).exists():
                archive.add(data / name, name)
        about = tarfile.TarInfo("redis/appendonly.aof")
        about.size = len(log)
        archive.addfile(about, io.BytesIO(log))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
