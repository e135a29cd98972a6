"""`postroad doctor`: is everything as it should be?"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TextIO

import click

from app.base.process.config import load
from app.base.process.settings import BadSetting
from app.server.commands.common import settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The same for programs.")
@click.option("--wait", default=60.0, show_default=True, help="Seconds that the test mail has to come back.")
@click.option("--dns", is_flag=True, help="Print the DNS records that mails need, and nothing else.")
@click.option(
    "--dkim-key", type=click.File(encoding="utf-8"), help="With --dns: your key, as opendkim-genkey writes it."
)
def doctor(as_json: bool, wait: float, dns: bool, dkim_key: TextIO | None) -> None:
    """Look everything over: settings, clock, disk, database, address and certificate, scheduler, names and mail host.

    A mail is sent that has to come back by the way in. Nothing else is changed. Each line says whether a thing is well,
    why, and what to do; the command ends with 1 when something is not.
    """
    if dns:
        return _print_records(dkim_key.read() if dkim_key else None)
    from app.server.registry import open_server
    from app.upkeep import migrating
    from app.upkeep.doctor import examination
    from app.upkeep.doctor.finding import Finding, ill

    found: list[Finding] = []

    def tell(finding: Finding) -> None:
        found.append(finding)
        if not as_json:
            click.echo(finding.line)

    try:
        config = load()
    except BadSetting as wrong:
        tell(ill("settings", str(wrong), "Set it right and look again."))
    else:
        server = open_server(config)
        with closing(server.database):
            for finding in examination.look(server, datetime.now(UTC), wait=wait, drift=migrating.drift):
                tell(finding)
    is_well = all(finding.well is not False for finding in found)
    if as_json:
        click.echo(json.dumps({"well": is_well, "checks": [asdict(finding) for finding in found]}, indent=2))
    raise SystemExit(0 if is_well else 1)


def _print_records(key_file: str | None) -> None:
    from app.upkeep.doctor import names

    config = settings()
    if config.mail_host is None:
        raise click.ClickException("POSTROAD_SMTP_URL names no mail host yet; the records depend on it.")
    try:
        for line in names.records(config, key_file):
            click.echo(line)
    except names.NoAnswer as error:
        raise click.ClickException(f"{error}.") from None
    except names.NoKey:
        raise click.ClickException("--dkim-key: no key as opendkim-genkey writes it (SELECTOR.txt).") from None
