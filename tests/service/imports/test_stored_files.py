"""One contract for the files of imports: on a machine's disk, in a folder and in S3."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from service.errors import BadValue, NotFound
from service.imports import stored_files
from service.imports.decompression import Packing
from service.imports.stored_files import StoredFiles
from service.imports.uploads import Uploads
from service.imports.verdicts import VerdictFile
from service.storage import object_reader
from service.storage.errors import ObjectsAway
from service.storage.objects import ObjectStore
from tests.service.imports.uploads import MOST, local_uploads, read_original
from tests.service.s3_server import BUCKET

CONTENT = b"".join(b"line %d\n" % number for number in range(400_000))


@pytest.fixture(params=["folder", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        return ObjectStore((tmp_path / "objects").as_uri())
    request.getfixturevalue("s3")
    return ObjectStore(f"s3://{BUCKET}/{tmp_path.name}")


def on_machine(folder: Path, objects: ObjectStore) -> Uploads:
    """The uploads on a machine whose own folder this is."""
    return Uploads(folder / "imports", StoredFiles(objects, lambda id: nullcontext()), 1 << 30, 0)


@pytest.fixture(params=["local", "folder", "s3"])
def uploads(request: pytest.FixtureRequest, tmp_path: Path) -> Uploads:
    if request.param == "local":
        return local_uploads(tmp_path)
    if request.param == "s3":
        request.getfixturevalue("s3")
    url = f"s3://{BUCKET}/{tmp_path.name}" if request.param == "s3" else tmp_path.as_uri()
    return on_machine(tmp_path, ObjectStore(url))


def receive(uploads: Uploads, id: str, content: bytes) -> None:
    with uploads.receive(io.BytesIO(content)) as received, uploads.lock(id):
        uploads.keep(id, received)


@pytest.mark.parametrize("content", [b"", b"x", CONTENT], ids=["empty", "small", "large"])
def test_an_upload_comes_back_as_it_came(uploads: Uploads, content: bytes) -> None:
    receive(uploads, "a", content)
    assert read_original(uploads, "a") == content
    assert not list(uploads.incoming.glob(".*"))
    assert [uploads.discard("a"), uploads.discard("a")] == [len(content), 0]
    with pytest.raises(NotFound):
        uploads.open_original("a")


def test_another_upload_takes_the_place_of_the_first(uploads: Uploads) -> None:
    for content in (b"first", b"the second"):
        receive(uploads, "a", content)
    assert read_original(uploads, "a") == b"the second"


def test_an_upload_is_read_from_anywhere(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_reader, "BLOCK", 1000)
    content = CONTENT[:50_000]
    receive(uploads, "a", content)
    file, _ = uploads.open_original("a")
    with file:
        for at in (49_990, 0, 12_345):
            file.seek(at)
            assert (file.read(100), file.tell()) == (content[at : at + 100], min(at + 100, 50_000))
    with uploads.unpacked("a", Packing.NONE, after=7) as unpacked:
        assert unpacked.lines.read() == content[7:]
        assert unpacked.passed() == 50_000


def verdict(number: int) -> dict[str, object]:
    return {"number": number, "status": "accepted", "text": "x" * (number % 97)}


@pytest.mark.slow
def test_verdicts_are_added_dropped_and_read_from_any_of_them(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_files, "PIECE", 300)
    receive(uploads, "a", b"")
    chosen = random.Random(1)
    expected: list[tuple[dict[str, object], int]] = []
    file = uploads.verdicts("a")
    assert list(file.lines()) == []
    assert file.resume(0)
    for _ in range(60):
        if chosen.random() < 0.2:
            # Another try, in another process.
            kept = chosen.randrange(len(expected) + 1)
            file = uploads.verdicts("a")
            assert file.resume(expected[kept - 1][1] if kept else 0)
            del expected[kept:]
        begin, number = expected[-1][1] if expected else 0, len(expected)
        added = [verdict(number + more) for more in range(chosen.randrange(1, 6))]
        for one in added:
            begin += len(json.dumps(one, separators=(",", ":"))) + 1
            expected.append((one, begin))
        assert file.add(added) == begin
        reader = uploads.verdicts("a")
        assert list(reader.lines()) == expected
        some = chosen.randrange(len(expected))
        assert list(reader.lines(expected[some][1])) == expected[some + 1 :]
    with pytest.raises(BadValue):
        uploads.verdicts("a").lines(expected[3][1] - 2)
    assert not uploads.verdicts("a").resume(10_000_000)
    assert list(uploads.verdicts("a").lines()) == []


def test_verdicts_take_few_objects(objects: ObjectStore, tmp_path: Path) -> None:
    file = on_machine(tmp_path, objects).verdicts("a")
    for number in range(60):
        file.add([verdict(number) | {"long": "y" * 20_000}])
    found = list(objects.list("imports/a"))
    assert len(found) == 5
    assert sum(one.size for one in found) == file.file.size()


def test_what_one_machine_receives_another_reads(objects: ObjectStore, tmp_path: Path) -> None:
    a, b = (on_machine(tmp_path / name, objects) for name in "ab")
    receive(a, "i", CONTENT)
    with b.unpacked("i", Packing.NONE) as unpacked:
        assert unpacked.lines.read() == CONTENT
    b.verdicts("i").add([verdict(1)])
    assert [number for number, _ in a.verdicts("i").lines()] == [verdict(1)]
    assert not (tmp_path / "b").exists()


@pytest.fixture
def breaking(objects: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    """A function that makes a method of the store fail after `after` calls."""

    def breaking(method: str, after: int) -> None:
        real, calls = getattr(ObjectStore, method), [0]

        def call(self: ObjectStore, *given: object) -> object:
            calls[0] += 1
            if calls[0] > after:
                raise ObjectsAway(self.url, "it is gone")
            return real(self, *given)

        monkeypatch.setattr(ObjectStore, method, call)

    return breaking


@pytest.mark.slow
def test_a_store_that_fails_keeps_what_it_has(
    objects: ObjectStore, tmp_path: Path, breaking: Callable[[str, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    uploads = on_machine(tmp_path, objects)
    receive(uploads, "a", CONTENT)
    file: VerdictFile = uploads.verdicts("a")
    size = file.add([verdict(1)])
    breaking("put", 0)
    with pytest.raises(ObjectsAway):
        receive(uploads, "a", b"another")
    with pytest.raises(ObjectsAway):
        file.add([verdict(2)])
    assert not list(uploads.incoming.glob(".*"))
    assert read_original(uploads, "a") == CONTENT
    assert list(uploads.verdicts("a").lines()) == [(verdict(1), size)]
    monkeypatch.undo()
    # The same writer continues where it was.
    file.add([verdict(2)])
    assert [one for one, _ in uploads.verdicts("a").lines()] == [verdict(1), verdict(2)]


def test_a_store_that_fails_in_the_middle_of_a_file_is_no_end_of_it(
    objects: ObjectStore, tmp_path: Path, breaking: Callable[[str, int], None]
) -> None:
    uploads = on_machine(tmp_path, objects)
    receive(uploads, "a", CONTENT)
    assert len(CONTENT) > 2 * object_reader.BLOCK > MOST
    breaking("get_range", 1)
    with uploads.unpacked("a", Packing.NONE) as unpacked, pytest.raises(ObjectsAway):
        unpacked.lines.read()
