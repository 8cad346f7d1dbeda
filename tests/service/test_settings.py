"""Settings from the environment."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
import redis

from service.cli import main
from service.environment import BadSetting, MemoryLimit
from service.operations.serving import list_workers, make_child_environment
from service.settings import Settings, read_settings, unknown_settings


def test_without_variables_everything_has_a_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read_settings({})
    assert settings.data_dir == tmp_path / "data"
    assert settings.embedded_redis
    assert settings.queue_url == settings.redis_url
    assert settings.socket == tmp_path / "data" / "redis.sock"
    assert settings.appendfsync == "always"
    assert settings.cors_origins == ()
    assert settings.open_registration
    assert not settings.private_webhooks
    assert settings.secret_file.parent == settings.admin_token_file.parent == settings.data_dir


def test_variables_are_read() -> None:
    settings = read_settings(
        {
            "MOVELOG_DATA_DIR": "/srv/movelog",
            "MOVELOG_REDIS_URL": "redis://log:6379/1",
            "MOVELOG_QUEUE_URL": "redis://queue:6379",
            "MOVELOG_PORT": "0",
            "MOVELOG_WEB_WORKERS": "4",
            "MOVELOG_APPENDFSYNC": "everysec",
            "MOVELOG_CORS_ORIGINS": "https://a.example https://b.example",
            "MOVELOG_OPEN_REGISTRATION": "no",
            "MOVELOG_PRIVATE_WEBHOOKS": "yes",
        }
    )
    assert not settings.embedded_redis
    assert (settings.redis_url, settings.queue_url) == (
        "redis://log:6379/1",
        "redis://queue:6379",
    )
    assert (settings.port, settings.web_workers, settings.appendfsync) == (0, 4, "everysec")
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert not settings.open_registration
    assert settings.private_webhooks


def test_an_empty_variable_is_not_set() -> None:
    """The rate limit is the exception: an empty one is none."""
    names = {f"MOVELOG_{field.name.upper()}": "" for field in fields(Settings)}
    assert read_settings(names) == replace(read_settings({}), rate_limit="")


def test_the_queue_follows_the_log_unless_told_otherwise() -> None:
    assert read_settings({"MOVELOG_REDIS_URL": "redis://a"}).queue_url == "redis://a"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOVELOG_PORT", "http"),
        ("MOVELOG_PORT", "-1"),
        ("MOVELOG_PORT", "65536"),
        ("MOVELOG_PORT", "²"),
        ("MOVELOG_PORT", "9" * 5000),
        ("MOVELOG_WEB_WORKERS", "0"),
        ("MOVELOG_MAX_BODY", "1023"),
        ("MOVELOG_APPENDFSYNC", "sometimes"),
        ("MOVELOG_ARCHIVE_AFTER_DAYS", "soon"),
        ("MOVELOG_ARCHIVE_ABOVE", "100%"),
        ("MOVELOG_ARCHIVE_ABOVE", "0"),
        ("MOVELOG_ARCHIVE_ABOVE", "2GB"),
        ("MOVELOG_OPEN_REGISTRATION", "maybe"),
        ("MOVELOG_PRIVATE_WEBHOOKS", "maybe"),
        ("MOVELOG_REDIS_URL", "localhost:6379"),
        ("MOVELOG_QUEUE_URL", "http://localhost"),
        ("MOVELOG_REDIS_URL", "redis://localhost:99999"),
        ("MOVELOG_REDIS_URL", "redis://localhost:port"),
        ("MOVELOG_RATE_LIMIT", "lots"),
        ("MOVELOG_RATE_LIMIT", "0/minute"),
        ("MOVELOG_RATE_LIMIT", "-1/minute"),
        ("MOVELOG_RATE_LIMIT", "5/minute; 50/hour"),
        ("MOVELOG_CORS_ORIGINS", "hello"),
        ("MOVELOG_CORS_ORIGINS", "https://a.example https://b.example/path"),
        ("MOVELOG_TRUSTED_PROXIES", "proxy"),
        ("MOVELOG_SMTP_URL", "mail.club.example"),
        ("MOVELOG_SMTP_URL", "http://mail.club.example"),
        ("MOVELOG_SMTP_URL", "smtp://mail.club.example:port"),
        ("MOVELOG_SMTP_URL", "smtps://mail.club.example/path"),
        ("MOVELOG_SMTP_URL", "smtp+plain://user:hush@mail.club.example"),
        ("MOVELOG_MAIL_FROM", "nobody"),
        ("MOVELOG_MAIL_FROM", "a@club.example, b@club.example"),
        ("MOVELOG_PUBLIC_URL", "club.example"),
        ("MOVELOG_PUBLIC_URL", "https://club.example/movelog"),
    ],
)
def test_a_setting_that_cannot_be_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as error:
        read_settings({name: value})
    assert error.value.name == name
    assert str(error.value) == f"{name}: {error.value.reason}"


def test_mail_needs_a_sender_and_an_address_for_its_links() -> None:
    mail = {
        "MOVELOG_SMTP_URL": "smtps://user:p%40ss@mail.club.example",
        "MOVELOG_MAIL_FROM": "Movelog <games@club.example>",
        "MOVELOG_PUBLIC_URL": "https://club.example:8443",
    }
    assert read_settings(mail).sends_mail
    assert not read_settings({**mail, "MOVELOG_SMTP_URL": ""}).sends_mail
    for missing in ("MOVELOG_MAIL_FROM", "MOVELOG_PUBLIC_URL"):
        with pytest.raises(BadSetting, match=missing):
            read_settings({**mail, missing: ""})


@pytest.mark.parametrize("folder", ["/data dir", "/50%25", "/what?x=y#z", "/ž"])
def test_the_url_of_the_embedded_server_names_its_socket(folder: str) -> None:
    settings = read_settings({"MOVELOG_DATA_DIR": folder})
    with redis.Redis.from_url(settings.redis_url) as client:
        assert client.get_connection_kwargs()["path"] == str(settings.socket)


@pytest.mark.parametrize("limit", ["10/second", "5 per 2 hours", ""])
def test_a_rate_limit_is_what_the_library_reads(limit: str) -> None:
    assert read_settings({"MOVELOG_RATE_LIMIT": limit}).rate_limit == limit


def test_old_games_are_archived_where_that_is_wanted() -> None:
    assert not read_settings({}).archives
    assert read_settings({"MOVELOG_ARCHIVE_AFTER_DAYS": "30"}).archives
    by_share, by_size = (read_settings({"MOVELOG_ARCHIVE_ABOVE": text}) for text in ("75%", "2048"))
    assert by_share.archives
    assert by_share.archive_above == MemoryLimit(percent=75)
    assert by_size.archive_above == MemoryLimit(bytes=2 << 30)


@pytest.mark.parametrize("origins", ["*", "http://localhost:3000 https://a.example"])
def test_origins_are_those_of_browsers(origins: str) -> None:
    assert read_settings({"MOVELOG_CORS_ORIGINS": origins}).cors_origins == tuple(origins.split())


def test_every_documented_setting_is_known() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    documented = set(re.findall(r"MOVELOG_[A-Z_]+[A-Z]", docs))
    assert len(documented) > 25
    assert not list(unknown_settings(dict.fromkeys(documented, "x")))


def test_an_unknown_setting_is_told_with_the_nearest_known_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOVELOG_RATELIMIT", "5/minute")
    monkeypatch.setenv("MOVELOG_XYZZY", "1")
    assert main(["perft", "katruji", "0"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "movelog: warning: MOVELOG_RATELIMIT is not a setting; did you mean MOVELOG_RATE_LIMIT?",
        "movelog: warning: MOVELOG_XYZZY is not a setting",
    ]
    assert (
        not {"MOVELOG_RATELIMIT", "MOVELOG_XYZZY"}
        & make_child_environment(read_settings({})).keys()
    )


def test_the_archive_has_a_process_where_it_is_wanted() -> None:
    for given, is_wanted in (({}, False), ({"MOVELOG_ARCHIVE_AFTER_DAYS": "30"}, True)):
        processes = [program.name for program in list_workers(read_settings(given), {})]
        assert ("archivist" in processes) is is_wanted
        assert "scorer" in processes
