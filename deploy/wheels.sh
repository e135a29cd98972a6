#!/bin/sh
# Makes what is installed of this checkout: deploy/wheels.sh FOLDER. Our wheel and sdist, a wheel of dkimpy, which publishes
# none, and the lock, which knows that wheel. What builds them is pinned; made twice they are the same to the byte.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
mkdir -p "$1"
to=$(CDPATH='' cd -- "$1" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1580601600}" PYTHONHASHSEED=0
umask 022

python3 -m venv "$work/build"
pip="$work/build/bin/python -m pip --disable-pip-version-check --quiet"
$pip install --no-cache-dir -r "$root/deploy/build.lock"
for target in wheel sdist; do
    (cd "$root" && "$work/build/bin/python" -m hatchling build -t "$target" -d "$to" >/dev/null)
done
sed -n '/^dkimpy==/,/^[^ ]/{/^dkimpy==/p;/^ /p;}' "$root/requirements.lock" >"$work/dkimpy.lock"
$pip wheel --no-cache-dir --no-binary dkimpy --no-build-isolation --no-deps -w "$to" -r "$work/dkimpy.lock"
sum=$(sha256sum "$to"/dkimpy-*.whl | cut -d' ' -f1)
sed "s/^\\(dkimpy==.*\\)\$/\\1\\n    --hash=sha256:$sum \\\\/" "$root/requirements.lock" >"$to/requirements.lock"
