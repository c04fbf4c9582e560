#!/usr/bin/env bash
# Builds the Dockerfile and runs its image: health, rights, a call, shutdown.
#
# Usage: tests/container/run.sh
# Exits 77 where containers cannot be built.  Images are kept below
# ${XDG_CACHE_HOME:-~/.cache}/scatterd-container for the next run.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/container/engine.sh
source tests/container/engine.sh

readonly IMAGE=localhost/scatterd:test
readonly MAX_ADDED_BYTES=$((60 * 1000 * 1000))
state=${XDG_CACHE_HOME:-$HOME/.cache}/scatterd-container
name=scatterd-test-$$

skip() {
  echo "container: skipped: $*"
  exit 77
}

fail() {
  echo "container: FAILED: $*" >&2
  podman logs "$name" 2>&1 | tail -n 20 >&2
  exit 1
}

ok() { echo "container: [$SECONDS s] $*"; }

cleanup() { podman rm -f -t 0 "$name" >/dev/null 2>&1; }

prepare() {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  deploy/install_packages.sh container >/tmp/container-packages.$$ 2>&1 ||
    skip "packages: $(tail -n 1 /tmp/container-packages.$$)"
  rm -f /tmp/container-packages.$$
  mkdir -p "$state"
  configure_engine "$state"
  make_base_image || skip "no base image; see $state/debootstrap.log"
  podman run --rm --network none "$BASE_IMAGE" true >"$state/try.log" 2>&1 ||
    skip "containers do not run here: $(tail -n 1 "$state/try.log")"
  ok "base image ready"
}

# The build stage shares this machine's compiler cache, where there is one.
build_image() {
  local cache options=()
  cache=$(ccache -k cache_dir 2>/dev/null) && mkdir -p "$cache" &&
    options=(--volume "$cache:/root/.cache/ccache")
  buildah bud --layers --isolation chroot --format docker "${options[@]}" \
    -t "$IMAGE" . >"$state/build.log" 2>&1 || {
    tail -n 40 "$state/build.log" >&2
    fail "the image does not build"
  }
  podman image prune -f --filter until=168h >/dev/null 2>&1
  ok "image built"
}

size_of() { podman image inspect --format '{{.Size}}' "$1"; }

check_size() {
  local added=$(($(size_of "$IMAGE") - $(size_of "$BASE_IMAGE")))
  [ "$added" -le "$MAX_ADDED_BYTES" ] ||
    fail "the image adds $added bytes to its base, more than $MAX_ADDED_BYTES"
  ok "image adds $((added / 1000000)) MB to its base"
}

# A port of the loopback interface that nobody listens on.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

start() {
  address=127.0.0.1:$(free_port)
  podman run -d --name "$name" --network host --read-only --cap-drop ALL \
    --security-opt no-new-privileges --memory 256m --pids-limit 128 \
    -e "SCATTERD_LISTEN=$address" "$IMAGE" >/dev/null 2>"$state/run.log" ||
    fail "the container does not start: $(cat "$state/run.log")"
  local tries=0
  until podman healthcheck run "$name" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || fail "not healthy"
    sleep 0.1
  done
  ok "healthy by the image's own health check"
}

check_rights() {
  local pid status
  pid=$(podman inspect --format '{{.State.Pid}}' "$name")
  status=$(cat "/proc/$pid/status")
  grep -qE '^Uid:\s+10001\s+10001\s+10001' <<<"$status" || fail "runs as root"
  grep -qE '^CapEff:\s+0+$' <<<"$status" || fail "has capabilities"
  grep -qE '^NoNewPrivs:\s+1' <<<"$status" || fail "may gain privileges"
  ok "no root, no capabilities, no new privileges, read-only root"
}

check_call() {
  local output
  output=$(build/release/bin/scatterctl --address "$address" scatter-nd \
    --data '[1,2,3,4,5,6,7,8]' --indices '[[4],[3],[1],[7]]' \
    --updates '[9,10,11,12]') || fail "the call fails: $output"
  [ "$(tr -d '[:space:]' <<<"$output")" = '[1,11,3,10,9,6,7,12]' ] ||
    fail "wrong result: $output"
  ok "scatter-nd from outside answers $output"
}

check_stop() {
  podman stop -t 10 "$name" >/dev/null 2>&1
  local status
  status=$(podman inspect --format '{{.State.ExitCode}}' "$name")
  [ "$status" = 0 ] || fail "SIGTERM ends it with status $status"
  ok "SIGTERM drains it, exit status 0"
}

prepare
trap cleanup EXIT
if [ ! -x build/release/bin/scatterctl ]; then
  { cmake --preset release && cmake --build --preset release --target \
    scatterctl; } >"$state/scatterctl.log" 2>&1 ||
    fail "scatterctl does not build; see $state/scatterctl.log"
fi
build_image
check_size
start
check_rights
check_call
check_stop
