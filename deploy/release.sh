#!/bin/sh
# Makes what a release offers: deploy/release.sh FOLDER [KEY]. Wheel, sdist, the lock, the Debian package for the Debian
# where it runs (run it on 12 and on 13), the list of what is bundled with its licences, SHA256SUMS, and with a KEY of gpg
# its signature. Made twice from one commit they are the same to the byte, the signature aside.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
mkdir -p "$1"
to=$(CDPATH='' cd -- "$1" && pwd -P)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
"$root/deploy/wheels.sh" "$to"
"$root/deploy/deb.sh" "$to"
. /etc/os-release
for made in "$to"/postroad_*_"$(dpkg --print-architecture)".deb; do mv "$made" "${made%.deb}_$ID$VERSION_ID.deb"; done
look=$(mktemp -d)
trap 'rm -rf "$look"' EXIT
dpkg-deb --extract "$to"/postroad_*_"$ID$VERSION_ID".deb "$look"
for kind in licences cyclonedx; do
    PYTHONPATH=$(echo "$look"/usr/lib/postroad/env/lib/python3*/site-packages) /usr/bin/python3 -S "$root/deploy/bill.py" $kind >"$to/$kind"
done
mv "$to/licences" "$to/licences.txt"
mv "$to/cyclonedx" "$to/postroad.cdx.json"
cd "$to"
LC_ALL=C sha256sum -- *.whl *.tar.gz *.deb *.lock *.txt *.json >SHA256SUMS
[ -z "${2-}" ] || gpg --batch --yes --armor --local-user "$2" --detach-sign SHA256SUMS
