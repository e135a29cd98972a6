"""Units, container and compose file name existing commands, settings and files."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import time
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from importlib.metadata import requires
from pathlib import Path

import click
import pytest

from app.base.process.config import NAMES
from app.base.process.settings import PREFIX
from app.server.cli import main
from tests.support.afterwards import killed_with_us
from tests.support.running import ROOT, Install, free_port

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
PARTS = ("all", "web", "worker", "mail")
COMPOSED = {
    "compose.yaml": ["mail", "proxy", "web"],
    "compose.large.yaml": ["database", "mail", "proxy", "web", "worker"],
}
"""The services of each compose file."""


def command_of(words: list[str]) -> click.Command:
    """The command that words lead to; its options are read, nothing is run."""
    found: click.Command = main
    context = click.Context(main)
    while isinstance(found, click.Group):
        inner = found.get_command(context, words.pop(0))
        assert inner is not None
        found = inner
    found.make_context("postroad", list(words), resilient_parsing=False)
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
@pytest.mark.parametrize("part", PARTS)
def test_a_unit_starts_a_command(unit: Path, part: str) -> None:
    [line] = re.findall(r"^ExecStart=/srv/postroad/env/bin/postroad (.+)$", unit.read_text(), re.MULTILINE)
    command_of(shlex.split(line.replace("%i", part)))


@pytest.mark.systemd
def test_systemd_finds_no_fault_with_the_units_and_holds_them_to_be_shut_in(tmp_path: Path) -> None:
    """In a separate root that contains their program.

    An exposure of 10 is that of a unit without any bounds; services of Debian have 9.
    """
    units, program = tmp_path / "etc/systemd/system", tmp_path / "srv/postroad/env/bin/postroad"
    for folder in (units, program.parent):
        folder.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        shutil.copy(unit, units)
    verify = ["systemd-analyze", f"--root={tmp_path}", "--man=no", "--recursive-errors=no", "verify"]
    names = [unit.name.replace("@.", f"@{part}.") for unit in UNITS for part in PARTS]
    found = subprocess.run([*verify, *names], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    security = ["systemd-analyze", f"--root={tmp_path}", "--offline=yes", "--no-pager", "--threshold=19", "security"]
    for unit in UNITS:
        judged = subprocess.run(
            [*security, unit.name.replace("@.", "@all.")], capture_output=True, text=True, check=False
        )
        assert judged.returncode == 0, judged.stdout[-200:]
    server = units / "postroad@.service"
    server.write_text(server.read_text().replace("Restart=on-failure", "Restart=sometimes"))
    spoilt = subprocess.run([*verify, "postroad@all.service"], capture_output=True, text=True, check=False)
    assert "sometimes" in spoilt.stderr, "a fault would be told"


def test_container_and_compose_name_what_there_is() -> None:
    container = (ROOT / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)$", container, re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split()[:-1]), line
    assert container.index("ARG BASE=") < container.index("FROM ${BASE}")
    composed = "".join((DEPLOY / name).read_text() for name in COMPOSED)
    for line in [*re.findall(r"command: \[(.+)\]", composed), *re.findall(r"^CMD \[(.+)\]$", container, re.MULTILINE)]:
        command_of([word.strip(' "') for word in line.split(",")])
    for text in (container.replace("POSTROAD_ENV_FILE=", ""), composed, (DEPLOY / "postroad.env").read_text()):
        named = set(re.findall(rf"\b{PREFIX}([A-Z_]+)\b(?=[=:])", text))
        assert named and named <= set(NAMES)


PINNING = (("deploy/wheels.sh", "build.lock"), ("run", "build.lock"))


def test_what_builds_the_program_is_pinned_as_its_libraries_are() -> None:
    pinned = (DEPLOY / "build.lock").read_text()
    assert pinned.startswith("hatchling==") and pinned.count("--hash=sha256:") >= pinned.count("==")
    assert set(re.findall(r"^\S+==\S+", pinned, re.MULTILINE)) <= set(
        re.findall(r"^\S+==\S+", (ROOT / "requirements-test.lock").read_text(), re.MULTILINE)
    )
    for needed in requires("hatchling") or ():
        name = re.split(r"[^\w-]", needed)[0]
        assert "python_version" in needed or f"\n{name}==" in pinned, needed
    for name, means in (("Containerfile", "wheels.sh"), ("deploy/deb.sh", "wheels.sh"), *PINNING):
        text = (ROOT / name).read_text()
        assert f"deploy/{means}" in text
        for line in re.findall(r"(?:pip|\$pip) (?:install )?.*--no-deps (\S+)", text):
            assert line.strip('";)') != "/src" and ("whl" in line or "--no-build-isolation --no-deps" in text), line


@pytest.mark.proxy
@pytest.mark.parametrize("name", COMPOSED)
def test_compose_takes_its_file_says_what_is_missing_and_shuts_its_services_in(name: str, tmp_path: Path) -> None:
    text = (DEPLOY / name).read_text()
    line = ["docker-compose", "--file", str(DEPLOY / name), "--profile", "mail", "config"]
    wanted = sorted(set(re.findall(r"\$\{(\w+):\?\}", text)))
    password = "p@ss/w#rd:%?&'\" \\"
    given = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **dict.fromkeys(wanted, password)}
    taken = subprocess.run(line, env=given, cwd=tmp_path, capture_output=True, text=True, check=False)
    read = ["/usr/bin/python3", "-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"]
    plain = subprocess.run(read, input=taken.stdout, capture_output=True, text=True, check=True)  # its own library
    services = json.loads(plain.stdout)["services"]
    assert sorted(services) == COMPOSED[name], taken.stderr
    for service, made in services.items():
        assert made["cap_drop"] == ["ALL"] and made["security_opt"] == ["no-new-privileges:true"], service
        assert made["mem_limit"] and made["logging"]["options"]["max-size"]
        assert made.get("read_only") or service == "database", service
        assert made["environment"].get("PGPASSWORD", password) == password
    assert [service for service, made in services.items() if "ports" in made] == ["mail", "proxy"]
    assert services["mail"]["ports"] == ["127.0.0.1:2424:2424/tcp"]
    for one in wanted:
        without = {key: value for key, value in given.items() if key != one}
        refused = subprocess.run(line, env=without, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert refused.returncode and one in refused.stderr


@pytest.mark.proxy
def test_the_proxy_of_the_compose_file_serves_over_tls(tmp_path: Path) -> None:
    """The unchanged Caddyfile, except for unprivileged ports and a certificate of its own making."""
    shut, plain = free_port(), free_port()
    server = Install(tmp_path, PROXIES="127.0.0.1", BASE_URL=f"https://localhost:{shut}", SMTP_URL="smtp://127.0.0.1:9")
    own = f"{{\nhttp_port {plain}\nhttps_port {shut}\nskip_install_trust\nadmin off\n}}\n"
    text = (DEPLOY / "Caddyfile").read_text()
    assert "name web\n\t\t\tport 8000" in text
    text = text.replace("name web\n\t\t\tport 8000", f"name localhost\n\t\t\tport {server.port}")
    (tmp_path / "Caddyfile").write_text(own + text)
    folders = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    line = ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    web = server.begin("--role", "web")
    with (tmp_path / "caddy.log").open("wb") as log:
        environ = {**os.environ, **folders, "DOMAIN": "localhost"}
        proxy = subprocess.Popen(line, env=environ, stdout=log, stderr=log, start_new_session=True)
    with killed_with_us(web.pid), killed_with_us(proxy.pid):
        try:
            root = tmp_path / "caddy/pki/authorities/local/root.crt"
            for _ in range(600):
                if root.exists() and (answer := asked(shut, root)) and answer[0] == 200:
                    break
                time.sleep(0.1)
            else:
                raise AssertionError((tmp_path / "caddy.log").read_text() + (tmp_path / "serve.log").read_text())
            headers = answer[1]
            assert headers["strict-transport-security"] and "__Host-" in headers["set-cookie"]
            # Who is still sending when the answer comes may find the connection closed instead.
            large = [asked(shut, root, b"x" * 12_000_000) for _ in range(5)]
            assert {answer[0] for answer in large if answer} == {413}
        finally:
            for process in (proxy, web):
                process.terminate()
                process.wait(60)


def asked(port: int, root: Path, body: bytes = b"") -> tuple[int, dict[str, str]] | None:
    """The status and headers of the page to sign in, over TLS; None while nobody answers."""
    trusted = ssl.create_default_context(cafile=root)
    connection = HTTPSConnection("localhost", port, timeout=60, context=trusted)
    try:
        with suppress(ConnectionError):
            connection.request("POST" if body else "GET", "/sign-in", body or None)
        answer = connection.getresponse()
        cookies = ", ".join(answer.headers.get_all("Set-Cookie", []))
        return answer.status, {name.lower(): value for name, value in answer.getheaders()} | {"set-cookie": cookies}
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()
