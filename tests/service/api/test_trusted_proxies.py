"""What proxies say of their clients, and which proxies are believed."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from werkzeug.test import TestResponse

from service.api.trusted_proxies import TrustedProxies
from service.environment import BadSetting
from service.pages.session import COOKIE
from service.settings import read_settings
from tests.service.api.client import Api, error
from tests.service.api.conftest import Clock, Configured

PROXY = "10.1.2.3"
LIMITED = {"MOVELOG_RATE_LIMIT": "2/hour", "MOVELOG_TRUSTED_PROXIES": "10.0.0.0/8, fd00::/8"}


def get(api: Api, peer: str, forwarded_for: str | None = None) -> int:
    """The status of an anonymous request from this peer."""
    headers = {} if forwarded_for is None else {"X-Forwarded-For": forwarded_for}
    environ = {"REMOTE_ADDR": peer}
    answer = api.http.get("/api/v1/games", headers=headers, environ_overrides=environ)
    return answer.status_code


@pytest.mark.parametrize("peer", [PROXY, "fd00::7", "::ffff:10.1.2.3"])
def test_clients_of_a_trusted_proxy_are_limited_one_by_one(
    configured: Configured, clock: Clock, peer: str
) -> None:
    api = configured(**LIMITED)
    assert [get(api, peer, "7.7.7.7") for _ in range(3)] == [200, 200, 429]
    assert get(api, peer, "8.8.8.8") == 200
    # Proxies on the way are not taken for clients, and a client's own claim is not believed.
    assert get(api, peer, "6.6.6.6, 7.7.7.7, 10.9.9.9") == 429
    assert get(api, peer, "8.8.8.8, 9.9.9.9") == 200
    assert get(api, peer, "nonsense, 7.7.7.7") == 429
    assert get(api, "7.7.7.7") == 429


@pytest.mark.parametrize(
    ("told", "same", "other"),
    [
        ("7.7.7.7:567", "7.7.7.7", "7.7.7.8:567"),
        ("[2001:db8::7]:567", "2001:db8::7", "[2001:db8:0:1::7]:567"),
        ("7.7.7.7:567, 10.9.9.9:1", "7.7.7.7:9999", "8.8.8.8:567"),
        ("6.6.6.6:567, 7.7.7.7:567", "7.7.7.7", "6.6.6.6"),
    ],
)
def test_a_port_behind_an_address_makes_no_other_client(
    configured: Configured, clock: Clock, told: str, same: str, other: str
) -> None:
    api = configured(**LIMITED)
    assert [get(api, PROXY, each) for each in (told, same, told)] == [200, 200, 429]
    assert get(api, PROXY, other) == 200


@pytest.mark.parametrize(
    "told",
    ["nonsense", "", "7.7.7.7, x", "unix:", "[::g]", "7.7.7.7:x", "7.7.7.7:1:2", "[::1", "[::1]x"],
)
def test_a_proxy_that_names_nobody_is_the_client(
    configured: Configured, clock: Clock, told: str
) -> None:
    api = configured(**LIMITED)
    assert [get(api, PROXY, told) for _ in range(3)] == [200, 200, 429]
    assert get(api, "10.1.2.4", told) == 200


@pytest.mark.parametrize("trusted", ["", "10.1.2.4 192.168.0.0/16"])
def test_anybody_else_cannot_forge_an_address(
    configured: Configured, clock: Clock, trusted: str
) -> None:
    api = configured(MOVELOG_RATE_LIMIT="2/hour", MOVELOG_TRUSTED_PROXIES=trusted)
    assert [get(api, PROXY, f"7.7.7.{n}") for n in range(3)] == [200, 200, 429]


def test_a_network_of_ipv6_is_one_client(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_RATE_LIMIT="2/hour")
    assert [get(api, f"2001:db8:1:2::{n}") for n in range(3)] == [200, 200, 429]
    assert get(api, "2001:db8:1:3::1") == 200
    assert get(api, "::ffff:1.2.3.4") == get(api, "1.2.3.4") == 200
    assert get(api, "::ffff:1.2.3.4") == 429
    assert get(api, "fe80::1%eth0") == 200


def sign_up(api: Api, peer: str, **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.http.post(
        "/register", data={"name": "Zoë"}, headers=named, environ_overrides={"REMOTE_ADDR": peer}
    )


def test_the_scheme_of_a_trusted_proxy_is_believed(configured: Configured) -> None:
    api = configured(MOVELOG_TRUSTED_PROXIES=PROXY)
    for proto, secure in (("https", True), ("http, https", True), ("https, http", False)):
        answer = sign_up(api, PROXY, X_Forwarded_Proto=proto)
        assert (COOKIE in answer.headers["Set-Cookie"]) is True
        assert ("Secure" in answer.headers["Set-Cookie"]) is secure
    for peer, proto in ((PROXY, "gopher"), ("10.1.2.4", "https")):
        assert "Secure" not in sign_up(api, peer, X_Forwarded_Proto=proto).headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("said", "origin"),
    [
        ({"Host": "club.example:8080"}, "http://club.example:8080"),
        ({"Host": "club.example:80"}, "http://club.example"),
        ({"Host": "club.example"}, "https://club.example:443"),
        ({"Host": "inner", "X_Forwarded_Host": "club.example:81"}, "http://club.example:81"),
        ({"Host": "club.example", "X_Forwarded_Port": "8443"}, "https://club.example:8443"),
        ({"Host": "club.example:81", "X_Forwarded_Port": "8080"}, "http://club.example:81"),
        ({"Host": "[::1]", "X_Forwarded_Port": "8080"}, "http://[::1]:8080"),
        (
            {"Host": "club.example", "X_Forwarded_Proto": "https", "X_Forwarded_Port": "443"},
            "https://club.example",
        ),
    ],
)
def test_signing_in_works_on_any_port(
    configured: Configured, said: dict[str, str], origin: str
) -> None:
    api = configured(MOVELOG_TRUSTED_PROXIES=PROXY)
    assert sign_up(api, PROXY, Origin=origin, **said).status_code == 201
    for foreign in ("http://evil.example", "null", "ftp://club.example", f"{origin}1"):
        assert error(sign_up(api, PROXY, Origin=foreign, **said)) == (403, "bad-csrf-token")


def test_a_page_of_the_same_host_without_tls_is_another_site(configured: Configured) -> None:
    api = configured(MOVELOG_TRUSTED_PROXIES=PROXY)
    said = {"Host": "club.example", "X_Forwarded_Proto": "https"}
    answer = sign_up(api, PROXY, Origin="http://club.example", **said)
    assert error(answer) == (403, "bad-csrf-token")


def test_a_browser_that_says_where_a_form_comes_from_is_believed(api: Api) -> None:
    # Behind a proxy that drops the port, the Origin alone would be another site's.
    own = {"Origin": "http://localhost:8080", "Host": "localhost"}
    assert sign_up(api, "1.2.3.4", Sec_Fetch_Site="same-origin", **own).status_code == 201
    for site in ("same-site", "cross-site", ""):
        answer = sign_up(api, "1.2.3.4", Sec_Fetch_Site=site, **own)
        assert error(answer) == (403, "bad-csrf-token")


@pytest.mark.parametrize("text", ["nonsense", "10.0.0.1/8", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(BadSetting) as refused:
        read_settings({"MOVELOG_TRUSTED_PROXIES": text})
    assert refused.value.name == "MOVELOG_TRUSTED_PROXIES"


def test_what_says_nothing_of_use_changes_nothing() -> None:
    seen: dict[str, object] = {}

    def app(environ: dict[str, object], start: object) -> list[bytes]:
        seen.update(environ)
        return []

    proxies = TrustedProxies(app, [ip_network(PROXY)])
    said = {"HTTP_X_FORWARDED_PROTO": "gopher", "HTTP_X_FORWARDED_PORT": "81"}
    environ = {"REMOTE_ADDR": PROXY, "wsgi.url_scheme": "http", **said}
    list(proxies(dict(environ), lambda *given: lambda data: None))
    assert seen == environ
