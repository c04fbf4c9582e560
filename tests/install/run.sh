#!/usr/bin/env bash
# Installs the release build and uses it as a stranger would: a program of its
# own that finds the package, compiles, links and talks to the installed server.
#
# Usage: tests/install/run.sh        needs a complete build/release
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
server_pid=''

cleanup() {
  [ -z "$server_pid" ] || kill -KILL "$server_pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

quietly() {
  "$@" >>"$folder/log" 2>&1 && return
  tail -n 40 "$folder/log" >&2
  echo "install: FAILED: $*" >&2
  return 1
}

install_and_build() {
  quietly cmake --install build/release --prefix "$folder/prefix"
  # A copy, so that nothing can be found beside it.
  cp -r client/examples/cpp tests/install "$folder"
  local program
  for program in cpp install; do
    quietly cmake -S "$folder/$program" -B "$folder/$program-build" -G Ninja \
      -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_BUILD_TYPE=Release
    quietly cmake --build "$folder/$program-build"
  done
}

start_server() {
  address=unix:$folder/scatterd.sock
  "$folder/prefix/bin/scatterd" --listen "$address" >>"$folder/log" 2>&1 &
  server_pid=$!
  local tries=0
  until quietly "$folder/prefix/bin/scatterctl" --address "$address" health \
    2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo "install: no server" >&2; return 1; }
    sleep 0.1
  done
}

# The example for plain grpcio, which Debian's packages can run.
run_python() {
  local generated=$folder/python
  mkdir "$generated"
  quietly protoc -I proto --python_out="$generated" \
    --grpc_python_out="$generated" \
    --plugin=protoc-gen-grpc_python="$(command -v grpc_python_plugin)" \
    proto/scatterd/v1/*.proto
  PYTHONPATH=$generated quietly /usr/bin/python3 \
    client/examples/python/gather_nd.py "$address"
  tail -n 2 "$folder/log" | tr -d ' .\n' | grep -qF '[[34][12]]'
}

install_and_build
start_server
quietly "$folder/install-build/consumer" "$address"
quietly "$folder/cpp-build/scatter_and_gather" "$address"
run_python
kill -TERM "$server_pid"
wait "$server_pid"
server_pid=''
echo "install: the installed library, server and scatterctl work together," \
  "and plain grpcio with them"
