#!/bin/sh
# Makes the Debian package of this checkout: deploy/deb.sh [FOLDER], for this machine's Python and kind of processor.
# It holds the program with its libraries in /usr/lib/postroad, the units, and `postroad`; settings come from `postroad setup`.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
to=${1:-$root/dist}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
env=/usr/lib/postroad/env
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/pyproject.toml" | sed 's/\.dev/~dev/')
minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
umask 022

mkdir -p "$to" "$stage/usr/lib/systemd/system" "$stage/usr/bin" "$stage/usr/share/doc/postroad" "$stage/DEBIAN"
/usr/bin/python3 -m venv "$stage$env"
pip="$stage$env/bin/python -m pip --disable-pip-version-check --quiet"
$pip install --no-compile -r "$root/requirements.lock"
/usr/bin/python3 -m venv "$stage/build"
"$stage/build/bin/python" -m pip --disable-pip-version-check --quiet install -r "$root/deploy/build.lock"
(cd "$root" && "$stage/build/bin/python" -m hatchling build -t wheel -d "$stage/build/dist" >/dev/null)
$pip install --no-compile --no-deps "$stage"/build/dist/*.whl
rm -r "$stage/build"
$pip uninstall --yes pip setuptools 2>/dev/null || $pip uninstall --yes pip
# The environment will be found at its place, not where it was made.
grep -rlI "$stage" "$stage$env/bin" "$stage$env/pyvenv.cfg" | xargs sed -i "s#$stage##g"
find "$stage$env" -name __pycache__ -prune -exec rm -r {} +
find "$stage$env" -name direct_url.json -delete
for unit in "$root"/deploy/*.service "$root"/deploy/*.socket; do
    sed "s#/srv/postroad/env#$env#" "$unit" >"$stage/usr/lib/systemd/system/${unit##*/}"
done
ln -s ../lib/postroad/env/bin/postroad "$stage/usr/bin/postroad"
cp "$root/LICENSE" "$stage/usr/share/doc/postroad/copyright"
cp "$root/README.md" "$root"/docs/operators*.md "$root/docs/mail.md" "$root/deploy/Caddyfile" "$root/deploy/alerts.yaml" \
    "$root/deploy/grafana.json" "$stage/usr/share/doc/postroad/"

cat >"$stage/DEBIAN/control" <<END_OF_CONTROL
Package: postroad
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the Post Road authors
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), passwd, debconf
Recommends: caddy
Section: games
Priority: optional
Installed-Size: $(du -sk "$stage/usr" | cut -f1)
Description: self-hosted play-by-email server for board games
 A mail says what happened and shows the board, its link takes a move. For clubs of 2 to 500 people, with leagues.
END_OF_CONTROL

cat >"$stage/DEBIAN/postinst" <<'END_OF_POSTINST'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd postroad >/dev/null || useradd --system --user-group --home-dir /var/lib/postroad --shell /usr/sbin/nologin postroad
[ -d /var/lib/postroad ] || install -d -m 700 -o postroad -g postroad /var/lib/postroad
/usr/lib/postroad/env/bin/python -m compileall -q /usr/lib/postroad || true
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    # Until `setup` has written the settings it does not start. What was removed and is back goes on as before.
    [ -n "$2" ] || systemctl enable --quiet postroad@all
    systemctl try-restart 'postroad@*' || true
    if systemctl is-enabled --quiet postroad@all; then systemctl start --no-block postroad@all || true; fi
fi
[ -e /etc/postroad.env ] || echo "Next: postroad setup"
END_OF_POSTINST

cat >"$stage/DEBIAN/prerm" <<'END_OF_PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl stop 'postroad@*' || true
fi
find /usr/lib/postroad -name __pycache__ -prune -exec rm -r {} +
END_OF_PRERM

cat >"$stage/DEBIAN/templates" <<'END_OF_TEMPLATES'
Template: postroad/purge
Type: boolean
Default: false
Description: Remove all games, accounts and the key of Post Road?
 They are in /var/lib/postroad and /etc/postroad.env. Nothing brings them back but a backup.
END_OF_TEMPLATES

cat >"$stage/DEBIAN/postrm" <<'END_OF_POSTRM'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
[ "$1" = purge ] || exit 0
if [ -e /usr/share/debconf/confmodule ]; then
    . /usr/share/debconf/confmodule
    db_input high postroad/purge || true
    db_go || true
    db_get postroad/purge || RET=false
    if [ "$RET" = true ]; then rm -rf /var/lib/postroad /etc/postroad.env; fi
    db_purge
fi
rm -f /etc/systemd/system/*.wants/postroad@*
END_OF_POSTRM

chmod 755 "$stage/DEBIAN/postinst" "$stage/DEBIAN/prerm" "$stage/DEBIAN/postrm"
chmod 755 "$stage"
dpkg-deb --build --root-owner-group "$stage" "$to/postroad_${version}_$(dpkg --print-architecture).deb"
