"""`postroad setup`: from nothing to a server that sends its first mail."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from app.base.process import env_file, private
from app.base.process.config import NAMES, in_files, judged
from app.base.process.settings import PREFIX, BadSetting
from app.server.setting_up import answers as answers_of
from app.server.setting_up.answers import NONE, QUESTIONS, Present, Question, Unfit, judge, settings_of, slug_of, usual

SECRET = ("mail-password",)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Make every question an option, too."""
    for question in reversed(QUESTIONS):
        more = " `none` for none." if question.may_be_none else ""
        command = click.option(f"--{question.name}", help=f"{question.ask}.{more}")(command)
    return command


@click.command()
@_options
@click.option("--user", default="postroad", show_default=True, help="As root: whose the data is, as in the units.")
@click.option("--file", type=click.Path(path_type=Path), help=f"Where settings go; else {env_file.USUAL}.")
@click.option("--yes", is_flag=True, help="Ask nothing: what is not given stays, or is as usual.")
@click.option("--untried", is_flag=True, help="Judge the answers, but look no names up and send no mail.")
def setup(user: str, file: Path | None, yes: bool, untried: bool, **given: str | None) -> None:
    """Ask what a server has to know, try each answer, write it into one file, and look everything over.

    Run again it changes what is there: an empty answer keeps it. Interrupted it keeps the answers for the next time.
    Passwords are never arguments, which others on the
    machine can read: `-` as --mail-password, or a --mail-in without its password, reads one line of input.
    """
    path = file or env_file.place()
    said = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
    try:
        for name in said:
            said[name] = _password_read(name, said[name])
        owner = _owner(user)
        old, there = _present(path)
        answers = _Talk(path, said, there, may_ask=not yes, tries=not untried).answers()
        _write(path, old, there.settings, settings_of(answers, there.settings), owner)
    except Unfit as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"{path} is written.")
    _people(path, answers)
    if not untried:
        click.echo("\nThe doctor looks everything over; what is NOT WELL before the server runs may be well after it:")
        _postroad(path, "doctor", "--wait", "10", check=False)
    click.echo(f"\nNext: {_next(path, mails_in=answers['mail-in'] != NONE)}")


def _password_read(name: str, given: str) -> str:
    """Return an answer given as an option, with its password, which comes from the input. Raises Unfit."""
    if name == "mail-password" and given not in ("-", NONE):
        raise Unfit("--mail-password takes `-`, and reads the password from a line of input, which others cannot see.")
    if name == "mail-in" and answers_of.password_in(given):
        raise Unfit("--mail-in takes imaps://USER@HOST, and reads the password from a line of input.")
    if name == "mail-password" and given == "-":
        return sys.stdin.readline().rstrip("\n")
    if name == "mail-in" and answers_of.lacks_password(given):
        return answers_of.with_password(given, sys.stdin.readline().rstrip("\n"))
    return given


def _owner(user: str) -> pwd.struct_passwd | None:
    """Return whose the data will be; None if it is ours."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(user)
    except (KeyError, ValueError):
        raise Unfit(
            f"--user: there is no user {user!r}; `useradd --system --home-dir /var/lib/postroad postroad` makes one."
        ) from None


def _present(path: Path) -> tuple[str, Present]:
    """Return the text of the file, and the settings in force: also those of a container."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise Unfit(f"--file: {path} cannot be written here" + ("." if os.geteuid() == 0 else "; use sudo."))
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found = env_file.parse(text)
    except (OSError, UnicodeDecodeError, env_file.BadEnvFile) as error:
        raise Unfit(f"--file: {path} cannot be read: {error}.") from None
    both = {**os.environ, **found}
    is_set_up = any(PREFIX + question.setting in found for question in QUESTIONS)
    named = {name: both[PREFIX + name] for name in NAMES if both.get(PREFIX + name)}
    try:
        return text, Present(named | in_files(both), is_set_up)
    except BadSetting as wrong:
        raise Unfit(str(wrong)) from None


class _Talk:
    """The conversation. Answers that were typed when it was interrupted are kept beside the file for the next time."""

    def __init__(self, path: Path, said: Mapping[str, str], there: Present, *, may_ask: bool, tries: bool) -> None:
        self._said, self._there, self._may_ask, self._tries = said, there, may_ask, tries
        self._units = _has_units(path)
        self._kept_in = path.with_name(f".{path.name}.answers")
        self._kept: dict[str, str] = {}
        if may_ask and self._kept_in.exists():
            self._kept = json.loads(self._kept_in.read_text(encoding="utf-8"))

    def answers(self) -> dict[str, str]:
        """Return an answer to each question, judged and tried. Raises Unfit for an option that cannot be used."""
        try:
            found = self._asked()
        except click.Abort:
            if self._kept:
                private.write(self._kept_in, json.dumps(self._kept).encode())
                click.echo(f"\nThe answers are kept in {self._kept_in} for the next time.", err=True)
            raise
        self._kept_in.unlink(missing_ok=True)
        return found

    def _asked(self) -> dict[str, str]:
        answers: dict[str, str] = {}
        again: set[str] = set()
        at = 0
        while at < len(QUESTIONS):
            question = QUESTIONS[at]
            try:
                before = {one.name: answers[one.name] for one in QUESTIONS[:at]}
                answers[question.name] = self._answered(question, before, None if question.name in again else answers)
                self._try(question, before | {question.name: answers[question.name]})
                again.discard(question.name)
                at += 1
            except Unfit as why:
                wrong = why.wrong or question.name
                if not why.wrong:
                    self._kept.pop(wrong, None)
                if wrong in self._said or not self._may_ask:
                    raise
                click.echo(f"  {why}", err=True)
                again |= {wrong, "mail-password"} if wrong == "mail-user" else {wrong}
                at = next(n for n, one in enumerate(QUESTIONS) if one.name == wrong)
        return answers

    def _answered(self, question: Question, before: Mapping[str, str], answers: Mapping[str, str] | None) -> str:
        """Return the answer that an option or the conversation has given already, else ask; without `answers` again."""
        name = question.name
        if name in ("mail-user", "mail-password") and "://" in before["mail-host"]:
            return NONE  # both are in the address
        present = self._kept.get(name) or usual(question, self._there, before)
        value = self._said.get(name) or (answers or {}).get(name)
        asks = self._may_ask and not (question.if_refused and answers is not None)
        if value is None and name not in self._said and asks:
            value = self._kept[name] = _ask(question, present)
        elif value is None and name not in self._said:
            value = present
        if not value:
            raise Unfit(f"--{name} is missing: {question.ask[:1].lower()}{question.ask[1:]}.")
        return value

    def _try(self, question: Question, answers: Mapping[str, str]) -> None:
        config = judge(question, answers, self._there)
        if self._tries:
            from app.server.setting_up import trials

            trials.run(question, answers, config, units=self._units)


def _ask(question: Question, present: str) -> str:
    hidden = question.name in SECRET
    keeps_secret = (hidden and present != NONE) or answers_of.password_in(present)
    shown: dict[str, Any] = {"show_default": "as before" if keeps_secret and present else True}
    value = str(click.prompt(question.ask, default=present or None, hide_input=hidden, **shown)).strip()
    if question.name == "mail-in" and answers_of.lacks_password(value):
        value = answers_of.with_password(value, click.prompt("The password there", hide_input=True))
    return value


def _write(
    path: Path, old: str, before: Mapping[str, str], made: Mapping[str, str], owner: pwd.struct_passwd | None
) -> None:
    """Make the folders and write the file: all that is written, once every answer is taken."""
    try:
        config = judged(made, Path("/"))
        for folder in (config.data, *([config.backups] if config.backups else [])):
            is_new = not folder.exists()
            private.make_folder(folder)
            if owner and (is_new or not any(folder.iterdir())):
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        changes = {PREFIX + name: made.get(name) for name in NAMES if made.get(name) != before.get(name)}
        if changes or not path.exists():  # what is as it was is in force
            private.write(path, env_file.changed(old, changes).encode())
    except BadSetting as wrong:
        raise Unfit(str(wrong)) from None
    except (OSError, ValueError) as error:
        raise Unfit(f"{path} could not be written: {error}.") from None


def _people(path: Path, answers: Mapping[str, str]) -> None:
    """Make the operator and the first club, as the server's user."""
    operator, club = answers["operator"], answers["club"]
    if operator == NONE:
        return
    _postroad(path, "player", "role", operator, "operator", "--new")
    if club != NONE:
        words = ("--name", club, "--owner", operator, "--language", answers["language"])
        _postroad(path, "league", "club", "new", slug_of(club), *words)


def _postroad(path: Path, *words: str, check: bool = True) -> None:
    """Run a command as an operator would: with the settings just written."""
    written = env_file.parse(path.read_text(encoding="utf-8"))
    own = {name: value for name, value in os.environ.items() if name not in written}
    line = [sys.executable, "-P", "-m", "app.server.cli", *words]
    sys.stdout.flush()
    done = subprocess.run(line, env=own | {env_file.NAMED: str(path)}, check=False)
    if check and done.returncode:
        raise click.ClickException("The settings are written; mend what is said above and run setup again.")


def _has_units(path: Path) -> bool:
    """Return whether systemd's units will run the server of this file."""
    return path == env_file.USUAL and Path("/run/systemd/system").is_dir()


def _next(path: Path, *, mails_in: bool) -> str:
    """Return what puts the settings in force: a process that runs goes on with those that it began with."""
    if _has_units(path):
        runs = subprocess.run(["systemctl", "--quiet", "is-active", "postroad@*"], check=False).returncode == 0
        begun = [*([] if runs else ["postroad@all"]), *(["postroad@mail"] if mails_in else [])]
        lines = [f"systemctl enable --now {' '.join(begun)}"] if begun else []
        return "; ".join([*lines, *(["systemctl restart 'postroad@*'"] if runs else []), "postroad doctor"])
    if os.environ.get(env_file.NAMED) == str(path):
        return "start the server, or start it again (in containers: docker compose up -d --force-recreate)"
    named = "" if path == env_file.USUAL else f"{env_file.NAMED}={path} "
    return f"{named}postroad serve" + f"; beside it {named}postroad mail serve" * mails_in
