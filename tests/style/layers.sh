#!/usr/bin/env bash
# Who may include whom.  Fails with the offending lines.
#
#   core    no gRPC, protobuf or spdlog; reads no environment
#   client's public header and everything in core: no generated messages
#   nothing outside tests includes tests
#
# Usage: tests/style/layers.sh [project root]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

failures=0

# forbid RULE PATTERN FILE...: no line of the files may match.
forbid() {
  local rule=$1 pattern=$2
  shift 2
  [ $# -gt 0 ] || return 0
  if grep -nE "$pattern" "$@" /dev/null; then
    echo "^ $rule" >&2
    failures=$((failures + 1))
  fi
}

sources() {
  find "$@" -type f \( -name '*.h' -o -name '*.cc' -o -name '*.inc' \
    -o -name '*.cu' \) | sort
}

mapfile -t core < <(sources core)
mapfile -t product < <(sources core proto server client)
mapfile -t client < <(sources client)
mapfile -t public < <(sources client/scatterd core | grep '\.h$')

include='#[[:space:]]*include[[:space:]]*[<"]'
forbid "core does not know the wire or the log" \
  "${include}(grpc|grpcpp|google|spdlog|proto|server|client)/" "${core[@]}"
forbid "core reads no environment" '\b(secure_)?getenv\b|\benviron\b' \
  "${core[@]}"
forbid "public headers do not show generated messages" \
  "${include}"'[^">]*\.pb\.h' "${public[@]}"
forbid "the client does not know the server" "${include}server/" "${client[@]}"
forbid "nothing but tests includes tests" \
  "${include}"'(tests|gtest|gmock|benchmark)/' "${product[@]}"

[ "$failures" -eq 0 ] || exit 1
echo "layers: ${#product[@]} files checked"
