"""Settings: what is read, what is kept, and what stops the start."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.base.process.config import SETTINGS, judged, load
from app.base.process.settings import BadSetting
from tests.support import settings_table


def test_an_empty_environment_is_enough(tmp_path: Path) -> None:
    config = load({}, tmp_path)
    assert config.data == tmp_path / "var"
    assert config.database_url == f"sqlite:///{tmp_path}/var/postroad.db"
    assert config.base_url == "http://localhost:8000"
    assert config.mail_host is None and config.mail_from == "Post Road <postroad@localhost>"


def test_the_operators_reference_has_the_settings_with_their_true_defaults(tmp_path: Path) -> None:
    assert settings_table.REFERENCE.read_text(encoding="utf-8") == settings_table.renewed(), settings_table.__doc__
    said = {one.name: one.usual[1:-1] for one in SETTINGS if re.fullmatch(r"`[^`A-Z]+`", one.usual)}
    assert len(said) > 12
    for name, value in said.items():
        config = judged({name: value}, tmp_path)
        assert replace(config, given={}) == judged({}, tmp_path), name


def test_a_port_shows_in_links_unless_the_address_is_given(tmp_path: Path) -> None:
    assert load({}, tmp_path).at_port(8001).base_url == "http://localhost:8001"
    given = load({"POSTROAD_BASE_URL": "https://games.example.org/"}, tmp_path)
    assert given.at_port(8001).base_url == "https://games.example.org"


def test_names_beyond_ascii_are_kept_as_mail_hosts_and_name_servers_spell_them(tmp_path: Path) -> None:
    given = {
        "POSTROAD_BASE_URL": "https://Spiele-München.example:8443/",
        "POSTROAD_MAIL_FROM": "Jörg <spiele@münchen.example>",
        "POSTROAD_SMTP_URL": "smtp://post.münchen.example",
    }
    config = load(given, tmp_path)
    assert config.base_url == "https://xn--spiele-mnchen-3ob.example:8443" and config.mail_host
    assert config.mail_from == "Jörg <spiele@xn--mnchen-3ya.example>"
    assert config.mail_host.host == "post.xn--mnchen-3ya.example"
    assert load({"POSTROAD_BASE_URL": "http://[::1]:8001"}, tmp_path).base_url == "http://[::1]:8001"


def test_the_first_start_makes_a_key_and_later_ones_keep_it(tmp_path: Path) -> None:
    first = load({}, tmp_path).secret_keys
    assert load({}, tmp_path).secret_keys == first and len(first[0]) > 40
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_keys_are_rotated_by_naming_several(tmp_path: Path) -> None:
    config = load({"POSTROAD_SECRET_KEY": "an-old-key-of-mine, the-newest-key-of-mine"}, tmp_path)
    assert config.secret_keys == ("an-old-key-of-mine", "the-newest-key-of-mine")
    assert "newest" not in repr(config)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("smtp://mail.example.org", ("mail.example.org", 25, "offered", None, None)),
        ("smtp://127.0.0.1:2525?tls=required", ("127.0.0.1", 2525, "required", None, None)),
        ("smtps://me%40x:p%3Aw@mail.example.org", ("mail.example.org", 465, "always", "me@x", "p:w")),
    ],
)
def test_mail_hosts(url: str, parts: tuple[object, ...], tmp_path: Path) -> None:
    host = load({"POSTROAD_SMTP_URL": url}, tmp_path).mail_host
    assert host and (host.host, host.port, host.tls, host.user, host.password) == parts


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("SMTP_URL", "mail.example.org", "'mail.example.org'"),
        ("SMTP_URL", "smtp://host?tls=maybe", "tls=maybe"),
        ("SMTP_URL", "smtp://host:99999", "smtp://host:99999"),
        ("SMTP_URL", "ftp://me:secret@host", "ftp://me:***@host"),
        ("DATABASE_URL", "mysql://me:secret@host/x", "mysql://me:***@host/x"),
        ("DATABASE_URL", "here.db", "'here.db'"),
        ("DATABASE_URL", "sqlite:///:memory:", "memory"),
        ("BASE_URL", "games.example.org", "'games.example.org'"),
        ("BASE_URL", "https://x.org/?q", "x.org"),
        ("BASE_URL", "https://x.org/games", "without a path"),
        ("BASE_URL", "https://x..münchen.org", "x..münchen.org"),
        ("MAIL_FROM", "nobody", "'nobody'"),
        ("MAIL_FROM", "Jörg <jörg@example.org>", "in ASCII before the @"),
        ("MAIL_FROM", "a@b.org\nBcc: c@d.org", "Bcc"),
        ("SECRET_KEY", "short", "(hidden)"),
        ("LANGUAGE", "de", "'de'"),
        ("PROXIES", "proxy.example.org", "proxy.example.org"),
        ("BACKUPS_KEPT", "0", "'0'"),
        ("MAILS_KEPT_DAYS", "30", "'30'"),
        ("CONFIG", "some.toml", "/etc/postroad.env"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_accepted(name: str, value: str, shown: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as refused:
        load({f"POSTROAD_{name}": value}, tmp_path)
    said = str(refused.value)
    assert f"POSTROAD_{name}" in said and shown in said and "accepted is" in said
    assert "secret@" not in said and ":secret" not in said


def test_secrets_come_from_files(tmp_path: Path) -> None:
    """F10: of containers, and of systemd's LoadCredential"""
    (tmp_path / "smtp").write_text("smtps://me:secret@mail.example.org\n")
    host = load({"POSTROAD_SMTP_URL_FILE": str(tmp_path / "smtp")}, tmp_path).mail_host
    assert host is not None and host.password == "secret"
    with pytest.raises(BadSetting, match="SMTP_URL_FILE"):
        load({"POSTROAD_SMTP_URL_FILE": str(tmp_path / "none")}, tmp_path)
    with pytest.raises(BadSetting, match="SMPT_URL_FILE is not a setting"):
        load({"POSTROAD_SMPT_URL_FILE": "x"}, tmp_path)


def test_days_of_leave_are_a_number_of_days(tmp_path: Path) -> None:
    assert load({}, tmp_path).leave_days == 30
    assert load({"POSTROAD_LEAVE_DAYS": "0"}, tmp_path).leave_days == 0
    for wrong in ("-1", "367", "many", "9999999999", "²"):
        with pytest.raises(BadSetting, match="POSTROAD_LEAVE_DAYS"):
            load({"POSTROAD_LEAVE_DAYS": wrong}, tmp_path)


def test_pictures_are_in_mails_or_not(tmp_path: Path) -> None:
    assert not load({"POSTROAD_MAIL_PICTURES": "none"}, tmp_path).mail_pictures
    with pytest.raises(BadSetting, match="send or none"):
        load({"POSTROAD_MAIL_PICTURES": "yes"}, tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("POSTROAD_SMPT_URL", "POSTROAD_SMPT_URL is not a setting; did you mean POSTROAD_SMTP_URL?"),
        ("POSTROAD_BACKUP_KEPT", "did you mean POSTROAD_BACKUPS_KEPT?"),
        ("POSTROAD_smtp_url", "did you mean POSTROAD_SMTP_URL?"),
        ("postroad_base_url", "postroad_base_url is not a setting; did you mean POSTROAD_BASE_URL?"),
        ("POSTROAD_QQQQ", "POSTROAD_QQQQ is not a setting; there are POSTROAD_ALARM_URL, "),
    ],
)
def test_a_misspelt_name_stops_the_start(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as stopped:
        load({name: "x"}, tmp_path)
    assert said in str(stopped.value) and not (tmp_path / "var").exists()


def test_a_file_that_is_no_longer_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "postroad.toml").write_text('language = "fr"\n')
    with pytest.raises(BadSetting, match=r"postroad.toml.*/etc/postroad\.env"):
        load({}, tmp_path)


def test_what_tests_and_container_systems_set_is_no_setting(tmp_path: Path) -> None:
    names = ("BACKUP_HOURS", "REQUIRE_ALL", "TEST_DATABASE_URL", "SERVICE_HOST", "PORT", "PORT_8000_TCP_ADDR")
    assert load({f"POSTROAD_{name}": "x" for name in names} | {"POSTROADX": "y"}, tmp_path).language == "en"
