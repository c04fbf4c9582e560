#!/usr/bin/env bash
# Replays the frameworks' recorded answers against a server of its own.
#
# Usage: tests/differential/replay_golden.sh SCATTERD
set -euo pipefail

readonly scatterd=${1:?path of scatterd}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
server_pid=''

stop() {
  if [ -n "$server_pid" ]; then
    kill -TERM "$server_pid" 2>/dev/null || true
    wait "$server_pid" || true
  fi
  rm -rf "$folder"
}
trap stop EXIT

"$here/make_stubs.sh" "$folder/stubs"
mkfifo "$folder/output"
env -i PATH="$PATH" ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} \
  "$scatterd" --listen "unix:$folder/server.sock" --log_level error \
  >"$folder/output" &
server_pid=$!
line=''
read -r line <"$folder/output" || true
case $line in
  *ready*) ;;
  *) echo "the server did not start: $line" && exit 1 ;;
esac

# The distribution's Python has the modules that this needs.
/usr/bin/python3 -B "$here/replay_golden.py" \
  "unix:$folder/server.sock" "$folder/stubs"
