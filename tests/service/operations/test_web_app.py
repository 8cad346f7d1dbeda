"""The application finds views for a host that it knows as Flask does for one that it does not."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.exceptions import SecurityError
from werkzeug.routing import MapAdapter
from werkzeug.test import EnvironBuilder

from service.operations.web_app import MOST_HOSTS, Application


def make_environ(path: str, host: str, **more: str) -> dict[str, object]:
    environ: dict[str, object] = dict(EnvironBuilder(path, method="POST").get_environ())
    return environ | {"HTTP_HOST": host} | more


def find_adapter(app: Flask, environ: dict[str, object]) -> tuple[str, dict[str, object]]:
    """The host of a request, and all that its adapter knows, except for the rules."""
    request = app.request_class(environ)
    adapter = app.create_url_adapter(request)
    assert isinstance(adapter, MapAdapter)
    return request.host, {name: value for name, value in vars(adapter).items() if name != "map"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"wsgi.url_scheme": "https"},
        {"SCRIPT_NAME": "/club"},
        {"SERVER_PORT": "8000"},
        {"HTTP_CONNECTION": "upgrade", "HTTP_UPGRADE": "websocket"},
        {"PATH_INFO": ""},
    ],
)
def test_a_known_host_is_read_as_it_was_at_first(more: dict[str, str]) -> None:
    app, plain = Application("test"), Flask("test", static_folder=None)
    for host in ("club.example", "Club.Example:80", "b\u00fccher.example:81", "[::1]:8000"):
        for path in ("/games/1?a=1&b=%C3%A9", "//games//2", "/\u00e9%2f?x", "/"):
            environ = make_environ(path, host.encode().decode("latin-1"), **more)
            try:
                expected = find_adapter(plain, dict(environ))
            except SecurityError:
                for _ in range(2):
                    with pytest.raises(SecurityError):
                        find_adapter(app, dict(environ))
            else:
                assert find_adapter(app, dict(environ)) == expected
                assert find_adapter(app, dict(environ)) == expected


def test_one_host_never_stands_for_another() -> None:
    app = Application("test")
    for number in range(2 * MOST_HOSTS + 5):
        assert find_adapter(app, make_environ("/", f"h{number}.example"))[0] == f"h{number}.example"
        assert find_adapter(app, make_environ("/", "club.example"))[0] == "club.example"
        assert len(app._hosts) <= MOST_HOSTS


def test_a_host_that_is_not_trusted_is_refused_each_time() -> None:
    app = Application("test")
    app.config["TRUSTED_HOSTS"] = ["club.example"]
    for _ in range(2):
        assert find_adapter(app, make_environ("/", "club.example"))[0] == "club.example"
        with pytest.raises(SecurityError):
            find_adapter(app, make_environ("/", "other.example"))
