#!/bin/sh
# Makes the Debian package of this checkout: deploy/deb.sh [FOLDER], for this machine's Python and kind of processor.
# It holds the program with its libraries in /usr/lib/postroad, the units, and `postroad`; settings come from `postroad setup`.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
to=${1:-$root/dist}
stage=/var/tmp/postroad-deb # always the same, so that a package made twice is the same to the byte
rm -rf "$stage"
mkdir "$stage"
trap 'rm -rf "$stage"' EXIT
env=/usr/lib/postroad/env
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/pyproject.toml" | sed 's/\.dev/~dev/')
minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
umask 022

mkdir -p "$to" "$stage/usr/lib/systemd/system" "$stage/usr/bin" "$stage/usr/share/doc/postroad" "$stage/DEBIAN"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1580601600}"
"$root/deploy/wheels.sh" "$stage/wheels"
/usr/bin/python3 -m venv "$stage$env"
pip="$stage$env/bin/python -m pip --disable-pip-version-check --quiet"
$pip install --no-compile --only-binary :all: --find-links "$stage/wheels" -r "$stage/wheels/requirements.lock"
$pip install --no-compile --no-deps "$stage"/wheels/postroad-*.whl
rm -r "$stage/wheels"
$pip uninstall --yes pip setuptools 2>/dev/null || $pip uninstall --yes pip
# The environment will be found at its place, not where it was made.
grep -rlI "$stage" "$stage$env/bin" "$stage$env/pyvenv.cfg" | xargs sed -i "s#$stage##g"
find "$stage$env" -name __pycache__ -prune -exec rm -r {} +
find "$stage$env" -name direct_url.json -delete
find "$stage$env" -name RECORD -exec sh -c 'LC_ALL=C sort -o "$1" "$1"' - {} \; -exec sed -i '/direct_url.json/d' {} +
chmod -R u=rwX,go=rX "$stage"
find "$stage" -name '*.so*' -exec chmod 644 {} +
for unit in "$root"/deploy/*.service "$root"/deploy/*.socket; do
    sed "s#/srv/postroad/env#$env#" "$unit" >"$stage/usr/lib/systemd/system/${unit##*/}"
done
ln -s ../lib/postroad/env/bin/postroad "$stage/usr/bin/postroad"
"$stage$env/bin/python" -I "$root/deploy/bill.py" licences >"$stage/usr/share/doc/postroad/copyright"
printf 'postroad (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md in the sources.\n\n -- %s  %s\n' "$version" \
    "the Post Road authors <postroad@localhost>" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >"$stage/usr/share/doc/postroad/changelog.gz"
cp "$root/README.md" "$root"/docs/operators*.md "$root/docs/mail.md" "$root/deploy/Caddyfile" "$root/deploy/alerts.yaml" \
    "$root/deploy/grafana.json" "$stage/usr/share/doc/postroad/"

mkdir -p "$stage/usr/share/lintian/overrides"
cat >"$stage/usr/share/lintian/overrides/postroad" <<'END_OF_OVERRIDES'
# Libraries stay as their authors have published them, with their licences in full.
embedded-library
unstripped-binary-or-object
copyright-file-contains-full-apache-2-license
# The one question is asked when the package is purged.
no-debconf-config
# Those who make the package answer for it.
bogus-mail-host
bogus-mail-host-in-debian-changelog
END_OF_OVERRIDES

cat >"$stage/DEBIAN/control" <<END_OF_CONTROL
Package: postroad
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the Post Road authors <postroad@localhost>
Depends: libc6, python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), passwd, debconf
Recommends: caddy
Section: web
Priority: optional
Installed-Size: $(du -sk --apparent-size "$stage/usr" | cut -f1)
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
