"""What protects every answer over https, and who is trusted about the sender's address."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from app.base.process.config import load
from app.server.factory import create_app
from app.web import visit


def app_of(folder: Path, **settings: str) -> Flask:
    url = {"POSTROAD_DATABASE_URL": f"sqlite:///{folder / 'postroad.db'}"}
    return create_app(load(url | {f"POSTROAD_{name}": value for name, value in settings.items()}, folder))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_over_https_browsers_come_back_by_it_and_cookies_are_of_this_host_alone(scheme: str, tmp_path: Path) -> None:
    app = app_of(tmp_path, BASE_URL=f"{scheme}://post.example.org")
    answer = app.test_client().get("/sign-in", base_url=f"{scheme}://post.example.org")
    is_https = scheme == "https"
    assert ("Strict-Transport-Security" in answer.headers) is is_https
    cookies = answer.headers.getlist("Set-Cookie")
    assert cookies and all(cookie.startswith("__Host-") is is_https for cookie in cookies)
    assert all(("Secure" in cookie) is is_https and "Path=/" in cookie for cookie in cookies)
    with app.test_request_context("/"):
        name = visit.cookie_name()
        assert name == ("__Host-postroad_sign_in" if is_https else "postroad_sign_in")
        kept = visit.keep(app.make_response(""), "secret").headers["Set-Cookie"]
        gone = visit.forget(app.make_response("")).headers["Set-Cookie"]
    assert all(said.startswith(f"{name}=") and ("Secure" in said) is is_https for said in (kept, gone))


@pytest.mark.parametrize(
    ("proxies", "asks", "place"),
    [
        ("", "127.0.0.1", "198.51.100.7"),
        ("", "10.0.0.5", "10.0.0.5"),
        ("10.0.0.0/24 ::1", "10.0.0.5", "198.51.100.7"),
        ("10.0.0.0/24", "127.0.0.1", "127.0.0.1"),
        ("none", "127.0.0.1", "127.0.0.1"),
        ("", "2001:db8::7", "2001:db8::/64"),
    ],
)
def test_only_the_proxies_of_the_settings_say_who_asks(proxies: str, asks: str, place: str, tmp_path: Path) -> None:
    app = app_of(tmp_path, PROXIES=proxies)
    headers = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"}
    with app.test_request_context("/", headers=headers, environ_base={"REMOTE_ADDR": asks}):
        assert visit.place_of_request() == place
