#!/usr/bin/env bash
# From a fresh Debian 12 machine to worked examples in one command: installs
# what is missing, builds the server and scatterctl, starts the server, runs
# ScatterND and GatherND through it, and stops it.
#
# Usage: deploy/quickstart.sh        as root, or as a user with sudo
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILD=build/release
readonly SERVER=$BUILD/bin/scatterd
readonly CTL=$BUILD/bin/scatterctl
folder=''
server_pid=''
failures=0

step() { printf '\n[%s/4] %s\n' "$1" "$2"; }

# Shows a line for each tenth of a build's steps, and the end of a failed one.
show_progress() {
  awk '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      tenth = int(10 * step[1] / step[2])
      if (tenth > shown) {
        printf "      %d of %d steps\n", step[1], step[2]
        fflush(); shown = tenth
      }
    }'
}

build() {
  local log=$BUILD/quickstart.log options=()
  # Tests need packages that this script does not install; a tree that was
  # configured with them stays so.
  [ -f $BUILD/build.ninja ] || options=(-DSCATTERD_BUILD_TESTS=OFF)
  mkdir -p $BUILD
  if ! cmake --preset release "${options[@]}" >"$log" 2>&1 ||
    ! cmake --build --preset release --target scatterd scatterctl 2>&1 |
      tee -a "$log" | show_progress; then
    tail -n 30 "$log"
    echo "the build failed; the whole log is $log"
    exit 1
  fi
}

stop() {
  if [ -n "$server_pid" ]; then
    kill -TERM "$server_pid" 2>/dev/null || true
    wait "$server_pid" || failures=$((failures + 1))
    server_pid=''
  fi
  [ -z "$folder" ] || rm -rf "$folder"
}

start() {
  folder=$(mktemp -d)
  address=unix:$folder/scatterd.sock
  "$SERVER" --listen "$address" >"$folder/log" 2>&1 &
  server_pid=$!
  local tries=0
  until "$CTL" --address "$address" health >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -ge 100 ] || ! kill -0 "$server_pid" 2>/dev/null; then
      cat "$folder/log"
      echo "the server does not start"
      exit 1
    fi
    sleep 0.1
  done
  echo "      $(grep ' ready: ' "$folder/log")"
}

# example TITLE EXPECTED COMMAND ARGUMENT...: runs scatterctl, shows what goes
# in and comes out, and compares without regard to spaces.
example() {
  local title=$1 expected=$2 result argument verdict=OK
  shift 2
  printf '\n    %s\n' "$title"
  local arguments=("${@:2}")
  for ((argument = 0; argument < ${#arguments[@]}; argument += 2)); do
    printf '      %-12s %s\n' "${arguments[argument]#--}" \
      "${arguments[argument + 1]}"
  done
  result=$("$CTL" --address "$address" "$@" 2>&1) || true
  if [ "$(tr -d '[:space:]' <<<"$result")" != \
    "$(tr -d '[:space:]' <<<"$expected")" ]; then
    verdict="FAILED, expected $expected"
    failures=$((failures + 1))
  fi
  printf '      %-12s %s\n      %s\n' result "$(tr -s ' \n' ' ' <<<"$result")" \
    "$verdict"
}

run_examples() {
  local cube='[[[1,2,3,4],[5,6,7,8],[8,7,6,5],[4,3,2,1]],
    [[1,2,3,4],[5,6,7,8],[8,7,6,5],[4,3,2,1]],
    [[8,7,6,5],[4,3,2,1],[1,2,3,4],[5,6,7,8]],
    [[8,7,6,5],[4,3,2,1],[1,2,3,4],[5,6,7,8]]]'
  local slices='[[[5,5,5,5],[6,6,6,6],[7,7,7,7],[8,8,8,8]],
    [[1,1,1,1],[2,2,2,2],[3,3,3,3],[4,4,4,4]]]'
  cube=$(tr -d '[:space:]' <<<"$cube")
  slices=$(tr -d '[:space:]' <<<"$slices")
  local letters='[[["a0","b0"],["c0","d0"]],[["a1","b1"],["c1","d1"]]]'

  example "ScatterND: four elements (ONNX, example 1)" \
    '[1,11,3,10,9,6,7,12]' \
    scatter-nd --data '[1,2,3,4,5,6,7,8]' --indices '[[4],[3],[1],[7]]' \
    --updates '[9,10,11,12]'
  example "ScatterND: two slices (ONNX, example 2)" \
    '[[[5,5,5,5],[6,6,6,6],[7,7,7,7],[8,8,8,8]],
      [[1,2,3,4],[5,6,7,8],[8,7,6,5],[4,3,2,1]],
      [[1,1,1,1],[2,2,2,2],[3,3,3,3],[4,4,4,4]],
      [[8,7,6,5],[4,3,2,1],[1,2,3,4],[5,6,7,8]]]' \
    scatter-nd --data "$cube" --indices '[[0],[2]]' --updates "$slices"
  example "ScatterND: two updates of one slice, added (ONNX, node test)" \
    '[[[7,8,9,10],[13,14,15,16],[18,17,16,15],[16,15,14,13]],
      [[1,2,3,4],[5,6,7,8],[8,7,6,5],[4,3,2,1]],
      [[8,7,6,5],[4,3,2,1],[1,2,3,4],[5,6,7,8]],
      [[8,7,6,5],[4,3,2,1],[1,2,3,4],[5,6,7,8]]]' \
    scatter-nd --data "$cube" --indices '[[0],[0]]' --updates "$slices" \
    --reduction add
  example "GatherND: scalars out of a matrix of strings (TensorFlow)" \
    '["a","d"]' \
    gather-nd --data '[["a","b"],["c","d"]]' --indices '[[0,0],[1,1]]'
  example "GatherND: rows (TensorFlow)" \
    '[["d","e","f"],["a","b","c"]]' \
    gather-nd --data '[["a","b","c"],["d","e","f"]]' --indices '[[1],[0]]'
  example "GatherND: one row of each matrix of a batch (TensorFlow)" \
    '[["c0","d0"],["a1","b1"]]' \
    gather-nd --data "$letters" --indices '[[1],[0]]' --batch-dims 1
}

step 1 "Packages"
deploy/install_packages.sh build
step 2 "Build (minutes the first time)"
build
step 3 "Server"
trap stop EXIT
start
step 4 "Examples"
run_examples
trap - EXIT
stop

if [ "$failures" -ne 0 ]; then
  printf '\n%d of these failed.\n' "$failures"
  exit 1
fi
cat <<HINTS

All examples are right.  To go on:

  $SERVER --listen 127.0.0.1:50051
      starts the server; Ctrl-C stops it
  $CTL --address 127.0.0.1:50051 health
      asks it; with --help: every operator and option
  README.md
      calls from Python and C++
  tests/run.sh
      all tests
HINTS
