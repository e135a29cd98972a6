#!/bin/sh
# Pins the images that Containerfile and compose files begin from: writes the digest that each tag has now behind it, or the
# new one in its place. Run before a release is tagged; asks registries with skopeo, else with docker's buildx.
set -eu
cd "$(dirname -- "$0")/.."
set -- Containerfile deploy/compose.yaml deploy/compose.large.yaml
found=$(mktemp)
trap 'rm -f "$found"' EXIT
for image in $(sed -nE 's/^(ARG BASE=| *image: )([a-z.]+\/[^@ ]+).*/\2/p' "$@" | sort -u); do
    if command -v skopeo >/dev/null; then
        skopeo inspect --raw "docker://$image" >"$found"
    else
        docker buildx imagetools inspect --raw "$image" >"$found"
    fi
    pinned=$image@sha256:$(sha256sum <"$found" | cut -d' ' -f1)
    sed -i -E "s|$image(@sha256:[0-9a-f]+)?\$|$pinned|" "$@"
    echo "$pinned"
done
