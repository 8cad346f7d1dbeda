"""Settings from the environment, and the service's key."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from service.settings import BadSetting, read_settings


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


def test_an_empty_variable_is_none() -> None:
    assert read_settings({"MOVELOG_REDIS_URL": ""}).embedded_redis


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
        ("MOVELOG_OPEN_REGISTRATION", "maybe"),
        ("MOVELOG_PRIVATE_WEBHOOKS", "maybe"),
        ("MOVELOG_REDIS_URL", "localhost:6379"),
        ("MOVELOG_QUEUE_URL", "http://localhost"),
    ],
)
def test_a_setting_that_cannot_be_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as error:
        read_settings({name: value})
    assert error.value.name == name
    assert str(error.value) == f"{name}: {error.value.reason}"


@pytest.mark.parametrize("folder", ["/data dir", "/50%25", "/what?x=y#z", "/ž"])
def test_the_url_of_the_embedded_server_names_its_socket(folder: str) -> None:
    settings = read_settings({"MOVELOG_DATA_DIR": folder})
    with redis.Redis.from_url(settings.redis_url) as client:
        assert client.get_connection_kwargs()["path"] == str(settings.socket)
