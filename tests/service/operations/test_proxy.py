"""The nginx of docs/operations.md in front of a real web process."""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import json
import re
import ssl
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.ports import find_port
from tests.project.tree import ROOT
from tests.service.operations.nginx import Nginx, find_nginx
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

pytestmark = pytest.mark.slow

PATIENCE = 60.0
UPSTREAM = "http://127.0.0.1:8320;"
HTTP = """\
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{tls} ssl;
        ssl_certificate {folder}/tls.pem;
        ssl_certificate_key {folder}/tls.pem;
        {location}
    }}
"""


class Proxied:
    """A web process behind nginx, which listens both with and without TLS."""

    def __init__(self, server: WebServer, folder: Path) -> None:
        self.server = server
        self.plain, self.tls = find_port(), find_port()
        self.context = self_signed(folder / "tls.pem")
        http = HTTP.format(
            folder=folder,
            plain=self.plain,
            tls=self.tls,
            location=documented().replace(UPSTREAM, f"{server.url};"),
        )
        self.nginx = Nginx(folder, http, self.tls)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        source: str = "127.0.0.2",
        tls: bool = False,
    ) -> http.client.HTTPResponse:
        """Send one request from this address; returns the answer, whose body is not read yet."""
        where = (source, 0)
        connection = (
            http.client.HTTPSConnection(
                "localhost", self.tls, source_address=where, context=self.context, timeout=PATIENCE
            )
            if tls
            else http.client.HTTPConnection(
                "localhost", self.plain, source_address=where, timeout=PATIENCE
            )
        )
        connection.request(method, path, body, {"Connection": "close", **(headers or {})})
        return connection.getresponse()

    def status(self, method: str, path: str, **given: str) -> int:
        """The status of an anonymous request."""
        source = given.pop("source", "127.0.0.2")
        with self.ask(method, path, None, given, source) as answer:
            answer.read()
            return answer.status

    def post(self, path: str, body: object, token: str) -> dict[str, object]:
        """POST JSON with a token; returns the JSON of the answer."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with self.ask("POST", f"/api/v1{path}", json.dumps(body), headers) as answer:
            found: dict[str, object] = json.loads(answer.read())
        assert answer.status < 300, found
        return found


def documented() -> str:
    """The location blocks of docs/operations.md."""
    guide = (ROOT / "docs" / "operations.md").read_text()
    block = r"    location {} \{{\n(?:    .*\n)+?    \}}\n"
    wanted = "^" + block.format("= /metrics") + block.format("/")
    blocks = re.findall(wanted, guide, re.MULTILINE)
    assert len(blocks) == 1
    block = textwrap.dedent(blocks[0])
    assert UPSTREAM in block
    return block


def self_signed(file: Path) -> ssl.SSLContext:
    """Write a certificate of localhost and its key; returns a context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    file.write_bytes(private + public)
    return ssl.create_default_context(cadata=public.decode())


@pytest.fixture(scope="module")
def proxied(
    redis_process: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxied]:
    """nginx as documented, in front of a web process that is configured as documented."""
    find_nginx()
    with redis_process.client() as client:
        client.flushall()
    folder = tmp_path_factory.mktemp("p")
    given = {"MOVELOG_TRUSTED_PROXIES": "127.0.0.1", "MOVELOG_RATE_LIMIT": "60/day"}
    with WebServer(redis_process.url, folder, **given) as server:
        proxied = Proxied(server, folder)
        try:
            yield proxied
        finally:
            proxied.nginx.close()
    assert server.log() == ""


@pytest.mark.parametrize("tls", [False, True])
def test_signing_in_works_on_the_proxys_port(proxied: Proxied, tls: bool) -> None:
    origin = f"https://localhost:{proxied.tls}" if tls else f"http://localhost:{proxied.plain}"
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": origin}
    made = proxied.server.service.players.register("Ada", None)
    body = urlencode({"token": made.token.secret})
    with proxied.ask("POST", "/sign-in", body, form, tls=tls) as answer:
        answer.read()
        assert answer.status == 303
        cookie = answer.headers["Set-Cookie"]
    assert ("Secure" in cookie) is tls
    shown = {"Cookie": cookie.split(";")[0]}
    with proxied.ask("GET", "/", None, shown, tls=tls) as answer:
        assert "Ada" in answer.read().decode()
    foreign = form | {"Origin": "http://localhost:1", "X-Forwarded-Host": "localhost:1"}
    with proxied.ask("POST", "/sign-in", body, foreign, tls=tls) as answer:
        answer.read()
        assert answer.status == 403


def test_a_game_is_played_and_streamed_through_the_proxy(proxied: Proxied) -> None:
    players = proxied.server.service.players
    ada, brahim = (players.register(name, None) for name in ("Ada", "Brahim"))
    wish = {"variant": "katruji", "side": "first", "opponent": brahim.id}
    path = f"/games/{proxied.post('/games', wish, ada.token.secret)['id']}"
    proxied.post(f"{path}/commands", {"type": "accept"}, brahim.token.secret)
    with proxied.ask("GET", f"/api/v1{path}/stream") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        while stream.readline() != b"event: caught_up\n":
            pass
        # Each action arrives before the next one is played: nothing waits in a buffer.
        for action, by in (("Pd1", ada), ("Pa7", brahim), ("Pd2", ada)):
            proxied.post(f"{path}/actions", {"action": action}, by.token.secret)
            while f'"{action}"'.encode() not in stream.readline():
                pass


def test_a_large_file_passes_the_proxy(proxied: Proxied) -> None:
    ada = proxied.server.service.players.register("Ada", None)
    record = b"\n" * (3 * 2**20)
    headers = {
        "Authorization": f"Bearer {ada.token.secret}",
        "Content-Type": "application/x-chess-pgn",
    }
    with proxied.ask("POST", "/api/v1/imports", record, headers) as answer:
        answer.read()
        assert answer.status == 202


def test_clients_behind_the_proxy_are_limited_one_by_one_and_cannot_forge(
    proxied: Proxied,
) -> None:
    statuses = [
        proxied.status("GET", "/api/v1/games", **{"X-Forwarded-For": f"6.6.{n // 250}.{n % 250}"})
        for n in range(70)
    ]
    assert set(statuses) == {200, 429}
    assert statuses[-1] == 429
    assert proxied.status("GET", "/api/v1/games", source="127.0.0.3") == 200


def test_who_passes_the_proxy_by_is_not_believed(proxied: Proxied) -> None:
    said = {"X-Forwarded-For": "9.9.9.9", "X-Forwarded-Proto": "https"}
    direct = http.client.HTTPConnection(
        "127.0.0.1", proxied.server.port, timeout=PATIENCE, source_address=("127.0.0.4", 0)
    )
    form = {"Content-Type": "application/x-www-form-urlencoded", **said}
    direct.request("POST", "/register", "name=Zoe", form)
    with direct.getresponse() as answer:
        answer.read()
        assert answer.status == 201
        assert "Secure" not in answer.headers["Set-Cookie"]
    direct.close()


def test_the_world_gets_no_metrics(proxied: Proxied) -> None:
    for path in ("/metrics", "//metrics", "/./metrics", "/%6detrics"):
        with proxied.ask("GET", path) as answer:
            assert answer.status == 403
    with proxied.ask("GET", "/readyz") as answer:
        assert answer.status == 200
