"""Runs the documents' lines for operators on an empty Debian, booted with systemd.

    python -m bench.trials.machine [package] [wheel] [--release FOLDER] [--suite SUITE] [--mirror URL] [--kept FOLDER]

Needs root, debootstrap and systemd-container (Debian's packages of these names). A machine of Debian's packages is
booted without any network but its loopback, once for each way in: the package and the wheel, of a release
(`deploy/release.sh` makes one) or made here; another suite than that of this machine needs a release. There,
as the documents say: Postfix signs with OpenDKIM, `setup` sends a mail through it, the unit starts, a turn mail arrives
and its link takes a move, a mail comes in by LMTP, a secret comes from systemd, a backup comes back, the server moves
to PostgreSQL, a database of the first release is upgraded, and the package is purged. Prints how long it took from
nothing to the turn mail. Exits with 1 if a step fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import releases
from tests.support.running import ROOT

MIRROR = "http://deb.debian.org/debian"
PACKAGES = (
    "systemd,systemd-sysv,dbus,iproute2,procps,python3,python3-venv,ca-certificates,postfix,opendkim,opendkim-tools,"
    "dnsmasq,postgresql,curl,caddy"
)
NAMES = """listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
address=/games.example.org/203.0.113.5
address=/club.example/127.0.0.1
mx-host=games.example.org,games.example.org,10
mx-host=club.example,club.example,10
txt-record=games.example.org,"v=spf1 a mx -all"
txt-record=_dmarc.games.example.org,"v=DMARC1; p=none"
local=/org/
local=/example/
local=/arpa/
"""
"""The domain name system of this world: our domain, and that of the players, whose mails stay on the machine."""
SETUP = (
    "postroad setup --yes --address https://games.example.org --mail-host 127.0.0.1:25 --mail-in 127.0.0.1:2424 "
    '--mail-from "Post Road <post@games.example.org>" --operator me@club.example --club "Our Club"'
)
GAME = "postroad game new acres --seat british=anna@club.example --seat french=bob@club.example"
START = "systemctl enable --now postroad@all postroad@mail"
PLAYED = """python3 - <<'END'
import email.policy, mailbox, re
for mail in mailbox.mbox("/var/mail/anna", factory=None):
    body = email.message_from_bytes(mail.as_bytes(), policy=email.policy.default).get_body(("plain",))
    for link in re.findall(r"https://games.example.org(/t/\\S+)", body.get_content() if body else "")[:1]:
        print(link)
END"""
ASK = "curl -sf -H 'Host: games.example.org' -H 'X-Forwarded-Proto: https' -H 'X-Forwarded-For: 198.51.100.7'"


def lines(document: str, heading: str, nth: int = 0) -> str:
    """Return what stands in a fence below a heading of a document."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    below = text[re.search(rf"^#+ {re.escape(heading)}$", text, re.M).end() :]  # type: ignore[union-attr]
    found = re.findall(r"^( *)```\w*\n(.*?)^ *```", below, re.S | re.M)[nth]
    return "".join(line.removeprefix(found[0]) for line in found[1].splitlines(keepends=True))


class Machine:
    """A booted Debian in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.typed = 0

    def run(self, text: str) -> str:
        """Run lines as root inside; return what they print. Raises AssertionError where one fails."""
        leader = subprocess.run(["pgrep", "-P", str(self.boot.pid)], capture_output=True, text=True, check=False)
        assert leader.stdout, "it has not begun to boot"
        inside = ["nsenter", "-t", leader.stdout.split()[0], "-m", "-u", "-i", "-n", "-p", "-r", "-w"]
        clean = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"]
        more = ["LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/root/wheels"]
        line = [*inside, *clean, *more, "bash", "-ec", f"cd /root; {text}"]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, f"{text}\n{done.stdout[-3000:]}"
        return done.stdout

    def type(self, text: str) -> str:
        """Run lines that an operator types, counted."""
        self.typed += len([line for line in text.splitlines() if line.strip()])
        return self.run(text)

    def until(self, text: str, seconds: float = 90) -> str:
        """Run a line until it succeeds."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.run(text)
            except AssertionError:
                if time.monotonic() > end:
                    raise
                time.sleep(1)

    @contextmanager
    def booted(self) -> Iterator[None]:
        """Boot; nothing runs at the end."""
        line = ["systemd-nspawn", "-D", str(self.root), "--private-network", "--register=no", "--keep-unit", "--boot"]
        if not Path("/sys/fs/cgroup/cgroup.controllers").exists():
            line.append("SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1")  # or a newer systemd stops
        environ = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "0"}
        self.boot = subprocess.Popen(
            line,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self.until("systemctl is-system-running --wait | grep -E 'running|degraded'", 120)
            yield
        finally:
            self.boot.kill()  # and with it all that runs there
            self.boot.wait(60)


def debian(kept: Path, suite: str, mirror: str) -> Path:
    """Return a root of Debian's packages; it is made if it is not kept."""
    root = kept / f"root-{suite}"
    if not root.exists():
        half = kept / "half"
        line = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(half), mirror]
        subprocess.run(line, stdout=subprocess.DEVNULL, check=True)
        half.rename(root)
    return root


@contextmanager
def copied(root: Path, folder: Path) -> Iterator[Path]:
    """Yield a copy of a root that is gone afterwards."""
    for name in ("above", "work", "machine"):
        (folder / name).mkdir()
    layers = f"lowerdir={root},upperdir={folder / 'above'},workdir={folder / 'work'}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, str(folder / "machine")], check=True)
    try:
        yield folder / "machine"
    finally:
        subprocess.run(["umount", "--lazy", str(folder / "machine")], check=True)


def prepare(machine: Machine) -> None:
    """Give the machine the names of its world and people with mailboxes. (The documents' `apt install` was done.)"""
    (machine.root / "etc/dnsmasq.d/world.conf").write_text(NAMES)
    machine.run("rm -f /etc/resolv.conf; echo nameserver 127.0.0.1 > /etc/resolv.conf; systemctl restart dnsmasq")
    machine.run("for one in anna bob me; do useradd -m $one; done")
    own = "'mydestination = localhost, club.example' 'myhostname = games.example.org'"
    machine.run(f"postconf -e inet_protocols=ipv4 {own}")


def mail(machine: Machine) -> None:
    """Postfix and OpenDKIM, as `docs/mail.md` has them."""
    way = "Your own Postfix"
    machine.type(lines("mail.md", way).partition("\n")[2])
    (machine.root / "root/opendkim").write_text(lines("mail.md", way, 1))
    (machine.root / "root/main").write_text(lines("mail.md", way, 2) + lines("mail.md", "A way in, or none"))
    machine.run("cat opendkim >> /etc/opendkim.conf; cat main >> /etc/postfix/main.cf")
    machine.type("systemctl restart opendkim postfix")


def package(machine: Machine, release: Path | None) -> None:
    """Install the Debian package."""
    if release:
        (made,) = release.glob(f"postroad_*_debian{version_of(machine.root, 'etc/os-release')}.deb")
        shutil.copy(made, machine.root / "root")
    else:
        subprocess.run([ROOT / "deploy/deb.sh", machine.root / "root"], stdout=subprocess.DEVNULL, check=True)
    machine.type("apt-get install --yes ./postroad_*.deb")


def wheel(machine: Machine, release: Path | None) -> None:
    """Install the wheel by the documents' lines; pip finds what it wants in a folder."""
    home = machine.root / "root"
    if release:
        for name in ("*.whl", "requirements.lock"):
            for made in release.glob(name):
                shutil.copy(made, home)
    else:
        subprocess.run([ROOT / "deploy/wheels.sh", home], check=True)
    python = next((machine.root / "usr/bin").glob("python3.*[0-9]")).name.removeprefix("python")
    wanted = ["--only-binary", ":all:", "--python-version", python, "--find-links", home]
    pip = ["/usr/bin/python3", "-m", "pip", "--quiet", "download", "--dest", home / "wheels"]
    subprocess.run([*pip, *wanted, "--requirement", home / "requirements.lock"], check=True)
    typed = lines("operators.md", "From a wheel").partition("\n")[2].partition("postroad setup")[0]
    machine.type(typed.replace("postroad-VERSION-", "postroad-*-"))


def version_of(root: Path, file: str) -> str:
    """Return the number of a Debian."""
    return re.findall(r'^VERSION_ID="(\d+)"', (root / file).read_text(encoding="utf-8"), re.M)[0]


WAYS = {"package": package, "wheel": wheel}


def play(machine: Machine) -> None:
    """A turn mail, signed and delivered; its link takes a move, which the other player is told."""
    machine.until(f"{ASK} http://127.0.0.1:8000/health")
    machine.run(GAME)
    machine.until("grep -q '^Subject: Your turn' /var/mail/anna && grep -q '^DKIM-Signature' /var/mail/anna")
    link = machine.run(PLAYED).strip()
    machine.run(f"{ASK} -H 'Accept: application/json' http://127.0.0.1:8000{link} | grep -q asked")
    assert "came back" in machine.run("postroad doctor --wait 30 || true")


def secret(machine: Machine) -> None:
    """The mail host comes from systemd's credentials instead of the file of settings."""
    unit = machine.root / "etc/systemd/system/postroad@.service.d"
    machine.run("grep ^POSTROAD_SMTP_URL= /etc/postroad.env > was; sed s/^POSTROAD_SMTP_URL=// was > smtp")
    machine.run("sed -i /SMTP_URL/d /etc/postroad.env; rm /var/mail/anna")
    unit.mkdir()
    own = "[Service]\nLoadCredential=smtp:/root/smtp\nEnvironment=POSTROAD_SMTP_URL_FILE=%d/smtp\n"
    (unit / "own.conf").write_text(own)
    machine.run("systemctl daemon-reload; systemctl restart 'postroad@*'")
    machine.until(f"{ASK} http://127.0.0.1:8000/health/live")
    machine.run(f"install -o postroad smtp /run; POSTROAD_SMTP_URL_FILE=/run/smtp {GAME}")
    machine.until("grep -q '^Subject: Your turn' /var/mail/anna")
    machine.run("cat was >> /etc/postroad.env")
    shutil.rmtree(unit)
    machine.run("systemctl daemon-reload; systemctl restart 'postroad@*'")


def keep(machine: Machine) -> None:
    """A backup comes back, by the documents' lines."""
    machine.run(lines("operators.md", "Back up"))
    machine.run(lines("operators.md", "Restore or move").replace("restore -", "restore --jump 0 -"))
    machine.until(f"{ASK} http://127.0.0.1:8000/health && postroad game verify 1")


def postgresql(machine: Machine) -> None:
    """The server goes on with PostgreSQL."""
    machine.run("systemctl start postgresql; su postgres -c 'createuser postroad'")
    machine.run("su postgres -c 'createdb postroad --owner postroad --encoding UTF8 --template template0'")
    machine.run("systemctl stop 'postroad@*'; postroad backup - > old.zip")
    machine.run("echo POSTROAD_DATABASE_URL=postgresql:///postroad >> /etc/postroad.env")
    machine.run("postroad restore --jump 0 - < old.zip; systemctl start postroad@all")
    machine.until(f"{ASK} http://127.0.0.1:8000/health && postroad game verify 1")


def upgrade(machine: Machine) -> None:
    """A database of the first release: the start migrates it."""
    machine.run(
        "systemctl stop 'postroad@*'; sed -i /DATABASE_URL/d /etc/postroad.env; rm /var/lib/postroad/postroad.db*"
    )
    releases.load(releases.kept()[0], "sqlite", f"sqlite:///{machine.root}/var/lib/postroad/postroad.db")
    machine.run("chown postroad: /var/lib/postroad/postroad.db; postroad db new-key; systemctl start postroad@all")
    machine.until(f"{ASK} http://127.0.0.1:8000/health/live && postroad db check")


def purge(machine: Machine) -> None:
    """The package goes; what was played goes only where that was said."""
    machine.run("apt-get remove --yes postroad; test -e /var/lib/postroad/postroad.db; test -e /etc/postroad.env")
    machine.run("echo 'postroad postroad/purge boolean true' | debconf-set-selections; apt-get purge --yes postroad")
    machine.run("! ls -d /var/lib/postroad /etc/postroad.env /usr/lib/postroad /lib/systemd/system/postroad@.service")


def main() -> int:
    """The command."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m bench.trials.machine", description=about)
    parser.add_argument("ways", nargs="*", choices=[*WAYS, []], help="all unless given")
    parser.add_argument("--release", type=Path, help="the folder of a release, else its files are made here")
    parser.add_argument("--suite", default="bookworm", help="which Debian")
    parser.add_argument("--mirror", default=MIRROR, help="where Debian's packages are")
    parser.add_argument("--kept", type=Path, help="where the packages of Debian stay for the next time")
    given = parser.parse_args()
    for way in given.ways or WAYS:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            with copied(debian(given.kept or folder, given.suite, given.mirror), folder) as root:
                machine = Machine(root)
                with machine.booted():
                    prepare(machine)
                    begun = time.monotonic()
                    WAYS[way](machine, given.release)
                    mail(machine)
                    machine.type(SETUP)
                    machine.type(START)
                    play(machine)
                    print(f"{way}: a turn mail after {time.monotonic() - begun:.0f} s and {machine.typed} lines")
                    secret(machine)
                    keep(machine)
                    postgresql(machine)
                    upgrade(machine)
                    if way == "package":
                        purge(machine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
