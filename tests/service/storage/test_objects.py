"""The object store: in a folder, and in S3 on a server of the tests' own."""

from __future__ import annotations

import io
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from service.storage import objects
from service.storage.errors import ObjectMissing, ObjectsAway
from service.storage.objects import ObjectStore, StoredObject
from tests.service.s3_server import BUCKET, S3Server


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        return ObjectStore((tmp_path / "a folder" / "ž").as_uri())
    request.getfixturevalue("s3")
    return ObjectStore(f"s3://{BUCKET}/{tmp_path.name}")


def test_what_was_put_is_found(store: ObjectStore) -> None:
    store.put("a/b", b"12345")
    assert store.get("a/b") == b"12345"
    assert store.get_range("a/b", 1, 3) == b"234"
    assert store.get_range("a/b", 5, 0) == b""
    assert store.size("a/b") == 5
    store.put("a/b", b"67")
    assert store.get("a/b") == b"67"


def test_a_file_is_put_as_it_is(store: ObjectStore, tmp_path: Path) -> None:
    content = os.urandom(11 << 20)
    (tmp_path / "file").write_bytes(content)
    store.put("large", tmp_path / "file")
    assert store.size("large") == len(content)
    assert store.get("large") == content


def test_a_new_object_takes_nobodys_place(store: ObjectStore) -> None:
    assert store.put_new("a", b"1")
    assert not store.put_new("a", b"2")
    assert store.get("a") == b"1"


def test_what_is_not_there_is_missing(store: ObjectStore) -> None:
    store.put("a", b"1")
    assert store.size("b") is None
    with pytest.raises(ObjectMissing, match="has no b"):
        store.get("b")
    with pytest.raises(ObjectMissing):
        store.get_range("b", 0, 1)
    store.delete("b")


def test_what_was_deleted_is_gone(store: ObjectStore) -> None:
    store.put("a", b"1")
    store.delete("a")
    assert store.size("a") is None


def test_objects_are_listed_below_a_folder(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "PAGE", 2)
    for name in "abcde":
        store.put(f"x/{name}", name.encode())
    store.put("y/z", b"12")
    assert sorted(found.name for found in store.list("x")) == [f"x/{name}" for name in "abcde"]
    assert list(store.list("y")) == [StoredObject("y/z", 2)]
    assert list(store.list("z")) == []


def test_a_range_beyond_the_end_is_refused(store: ObjectStore) -> None:
    store.put("a", b"123")
    for start in (2, 7):
        with pytest.raises(ObjectsAway):
            store.get_range("a", start, 2)


def test_a_store_that_can_be_written_passes_the_check(store: ObjectStore) -> None:
    store.check()
    assert not list(store.list(objects.PROBE))


def test_a_store_that_gives_back_something_else_does_not(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ObjectStore, "get", lambda self, name: b"")
    with pytest.raises(ObjectsAway, match="does not return what was stored"):
        store.check()


def test_a_folder_is_private(tmp_path: Path) -> None:
    ObjectStore((tmp_path / "objects").as_uri()).put("a", b"1")
    assert stat.S_IMODE((tmp_path / "objects").stat().st_mode) == 0o700


def test_what_was_left_half_written_is_removed(tmp_path: Path) -> None:
    seen: set[str] = set()

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            seen.update(str(file.relative_to(tmp_path)) for file in tmp_path.glob("a/*"))
            return super().read(size)

    store = ObjectStore(tmp_path.as_uri())
    store.put("a/b", Watched(bytes(20 << 20)))
    # What the client names a file that is being written, and does not list.
    assert seen == {"a/b#1"}
    for name in ("b#1", "b#2", "b#", "b#1c"):
        (tmp_path / "a" / name).write_bytes(b"half")
    os.utime(tmp_path / "a" / "b#1", (100, 100))
    assert store.remove_staged("a", 100) == []
    assert store.remove_staged("another") == []
    assert store.remove_staged("a", 101) == [StoredObject("a/b#1", 4)]
    assert store.remove_staged("a") == [StoredObject("a/b#2", 4)]
    assert store.size("a/b") == 20 << 20
    assert sorted(file.name for file in (tmp_path / "a").iterdir()) == ["b", "b#", "b#1c"]


@pytest.mark.usefixtures("s3")
def test_a_bucket_has_nothing_half_written() -> None:
    assert ObjectStore(f"s3://{BUCKET}").remove_staged("a") == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ObjectsAway, match=r"/file/objects .*check MOVELOG_OBJECTS_URL"):
        ObjectStore((tmp_path / "file" / "objects").as_uri()).check()


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_is_not_there_is_no_missing_object() -> None:
    store = ObjectStore("s3://another-bucket")
    with pytest.raises(ObjectsAway, match=r"NoSuchBucket|404"):
        store.check()
    with pytest.raises(ObjectsAway):
        store.get("a")


def test_a_server_that_never_answers_is_given_up(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        with pytest.raises(ObjectsAway):
            ObjectStore(f"s3://{BUCKET}", patience=0.5).get("a")


def test_the_client_is_made_after_a_fork(tmp_path: Path) -> None:
    """A client's threads do not survive a fork, so a child has to make a client of its own."""
    program = f"""
import os
from service.storage.objects import ObjectStore
store = ObjectStore({tmp_path.as_uri()!r})
child = os.fork()
if child == 0:
    store.put("a", b"1")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert store.get("a") == b"1"
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.slow
def test_greenlets_go_on_while_a_server_is_silent(s3: S3Server) -> None:
    program = f"""
from gevent import monkey
monkey.patch_all()
import os, socket
import gevent
from service.storage.errors import ObjectsAway
from service.storage.objects import ObjectStore
silent = socket.create_server(("127.0.0.1", 0))
os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{{silent.getsockname()[1]}}"
def ask():
    try:
        ObjectStore("s3://{BUCKET}", patience=1).get("a")
    except ObjectsAway:
        return True
asking = [gevent.spawn(ask) for _ in range(20)]
turns = 0
while not all(one.ready() for one in asking):
    gevent.sleep(0.01)
    turns += 1
assert all(one.get() for one in asking)
assert turns > 20, turns
"""
    environment = {**os.environ, **s3.environment}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, env=environment)
