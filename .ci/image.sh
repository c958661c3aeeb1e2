#!/usr/bin/env bash
# Builds the container image from the unmodified Dockerfile, with neither a Docker engine nor an image registry, and
# proves it: image-proof.sh runs the service from the image's own file tree, as its user and with its environment.
# Usage: .ci/image.sh   (as root; some minutes the first time, later about as long as a release build)
# Says why and exits 0 where that cannot be done: not root, no stand-ins for the base images, no buildah to be had.
# Otherwise its last line is `N passed, N failed`, and it exits 1 unless all passed.
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot
base_images=../shared/container/base-images.sh

skip() { echo "image: skipped, $*"; exit 0; }
[ "$(id -u)" = 0 ] || skip "needs root"
[ -x "$base_images" ] || skip "there is no $base_images"

work=$(mktemp -d)
tag=localhost/sudoku-server:ci-$$
container=
cleanup() {
  if [ -n "$container" ]; then buildah rm "$container" >/dev/null 2>&1 || true; fi
  buildah rmi "$tag" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# What takes long is quiet unless it fails.
quietly() {
  local what=$1; shift
  echo "image: $what"
  "$@" >"$work/log" 2>&1 || { tail -25 "$work/log"; return 1; }
}

# Each command with its Debian package.
missing=()
while read -r command package; do
  command -v "$command" >/dev/null || missing+=("$package")
done <<'TOOLS'
buildah buildah
debootstrap debootstrap
jq jq
curl curl
ip iproute2
TOOLS
install() {
  # Another apt may be at work; its lock on the lists has no option to wait for.
  for _ in 1 2 3 4 5 6; do apt-get update -qq && break; sleep 10; done
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@"
}
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || skip "without ${missing[*]}, and without apt-get to install it"
  quietly "installing ${missing[*]}" install "${missing[@]}" || skip "cannot install ${missing[*]}"
fi
unshare --net --mount --pid --fork true 2>/dev/null || skip "this machine allows no namespaces"

# One at a time: two runs would make the same images.
quietly "making the base images where they are not there" flock "$base_images" "$base_images" ||
  skip "cannot make the base images"

commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
# Layers are kept, so that the dependencies are built anew only where they changed. Docker's format, because OCI's has
# no health check.
build() {
  buildah bud --layers --force-rm --pull-never --format docker -t "$tag" \
    --build-arg SUDOKU_COMMIT="$commit" --build-arg SOURCE=https://example.org/sudoku-server .
}
if ! quietly "building" build; then
  echo "0 passed, 1 failed"
  exit 1
fi
container=$(buildah from --pull-never "$tag")
tree=$(buildah mount "$container")
buildah inspect --type image "$tag" | jq .Docker.config >"$work/config.json"

# In namespaces of its own: its port is free whatever else runs here, and nothing that it starts or mounts outlives it.
code=0
timeout --kill-after=1 300 unshare --net --mount --pid --fork --kill-child --mount-proc \
  .ci/image-proof.sh "$tree" "$work/config.json" "$commit" || code=$?
[ "$code" -le 1 ] && exit "$code"
echo "image: the proof did not come to its end"
echo "0 passed, 1 failed"
exit 1
