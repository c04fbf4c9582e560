#!/usr/bin/env bash
# Sends random cases through scatterd and through the frameworks whose dialects
# it speaks, and compares the answers bit for bit.
#
# Usage: tests/differential/run.sh [--all] [--framework NAME]... [--cases N]
#          [--seed N] [--server PROGRAM] [--record] [--shrink]
#   --all        also the large frameworks, 120,000 cases each (for some there
#                is no kernel); else numpy, onnx and onnxruntime, 2,000 each
#   --framework  only this one: numpy, onnx, onnxruntime, tensorflow, torch, jax
#                or mindspore
#   --record     writes the golden vectors (tests/differential/golden)
#   --shrink     stops at the first difference and makes it small
#
# Each framework lives in an environment of its own, build/venv/NAME, with the
# packages of tests/differential/requirements/NAME.txt.  Exit status: 0 no
# unexplained difference, 1 there are some, 77 an environment cannot be made.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# The distribution's Python is what the requirements were resolved for.
PATH=/usr/bin:$PATH

readonly here=tests/differential skipped=77
server=build/release/bin/scatterd
cases='' names=() options=()
defaults=(numpy onnx onnxruntime)
default_cases=2000
while [ $# -gt 0 ]; do
  case $1 in
    --all)
      defaults+=(tensorflow torch jax mindspore)
      default_cases=120000
      ;;
    --framework) names+=("${2:?}") && shift ;;
    --cases) cases=${2:?} && shift ;;
    --seed) options+=(--seed "${2:?}") && shift ;;
    --server) server=${2:?} && shift ;;
    --record) options+=(--record "$here/golden") ;;
    --shrink) options+=(--shrink) ;;
    *)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
      exit 2
      ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || names=("${defaults[@]}")

folder=$(mktemp -d)
server_pid=''
stop() {
  if [ -n "$server_pid" ]; then
    kill -TERM "$server_pid" 2>/dev/null
    wait "$server_pid"
  fi
  rm -rf "$folder"
}
trap stop EXIT

# The environment of a framework, made anew when its requirements change.
make_environment() {
  local venv=build/venv/$1 wanted=$here/requirements/$1.txt
  cmp -s "$wanted" "$venv/requirements.txt" && return
  echo "installing $1 in $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check --no-deps \
      -r "$wanted" &&
    cp "$wanted" "$venv/requirements.txt"
}

# Waits for the server's own word that it is ready.
start_server() {
  mkfifo "$folder/output"
  "$server" --listen "unix:$folder/server.sock" --log_level error \
    >"$folder/output" &
  server_pid=$!
  local line=''
  read -r line <"$folder/output" || true
  case $line in
    *ready*) ;;
    *) echo "the server did not start: $line" && exit 1 ;;
  esac
}

"$here/make_stubs.sh" "$folder/stubs" || exit 1
start_server
status=0
for name in "${names[@]}"; do
  if ! make_environment "$name" 2>&1; then
    echo "skipped $name: its environment cannot be made"
    [ "$status" -eq 1 ] || status=$skipped
    continue
  fi
  PYTHONPATH=$here:$folder/stubs PYTHONDONTWRITEBYTECODE=1 \
    HYPOTHESIS_STORAGE_DIRECTORY=$folder/hypothesis \
    "build/venv/$name/bin/python" -X faulthandler -m harness.main \
    --framework "$name" --address "unix:$folder/server.sock" \
    --cases "${cases:-$default_cases}" "${options[@]}" || status=1
done
[ "$status" -eq 0 ] || exit "$status"
