#!/usr/bin/env bash
# Builds the fuzzers with clang and runs each for a bounded time.
#
# Usage: tests/fuzz/run.sh [SECONDS [FUZZER...]]
#   default: 30 seconds each; codec_fuzzer plan_fuzzer
#
# Starts from the seeds in tests/fuzz/corpus.  What a run finds is kept in
# build/fuzz/corpus for the next one, and an input that fails in
# build/fuzz/artifacts; run it again with  build/fuzz/<fuzzer> <file>.
# Exits with 77 where clang is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-30}
shift || true
[ $# -gt 0 ] || set -- codec_fuzzer plan_fuzzer

find_clang() {
  local name
  for name in "${CLANGXX:-}" clang++-14 clang++; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 1
}
if ! clang=$(find_clang); then
  echo "skipped: no clang++ here" >&2
  exit 77
fi

build=build/fuzz
mkdir -p "$build/artifacts"
cmake -S . -B "$build" -G Ninja \
  -DCMAKE_CXX_COMPILER="$clang" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" \
  -DSCATTERD_SANITIZE=address,undefined,fuzzer-no-link \
  -DSCATTERD_BUILD_FUZZERS=ON -DSCATTERD_BUILD_TESTS=ON \
  -DSCATTERD_BUILD_BENCHMARKS=OFF >"$build/configure.log" 2>&1 ||
  { tail -n 30 "$build/configure.log" >&2; exit 1; }
cmake --build "$build" --target "$@" >"$build/build.log" 2>&1 ||
  { tail -n 60 "$build/build.log" >&2; exit 1; }

failures=0
for fuzzer in "$@"; do
  mkdir -p "$build/corpus/$fuzzer"
  echo "$fuzzer: $seconds seconds"
  # A protobuf from packages is not instrumented: leaks and overflows inside
  # our code are still seen.
  if ! "$build/tests/fuzz/$fuzzer" -max_total_time="$seconds" -max_len=1024 \
    -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/artifacts/$fuzzer-" \
    "$build/corpus/$fuzzer" "tests/fuzz/corpus/$fuzzer" \
    >"$build/$fuzzer.log" 2>&1; then
    tail -n 40 "$build/$fuzzer.log" >&2
    failures=$((failures + 1))
  fi
  grep -E '^(stat::number_of_executed_units|Done)' "$build/$fuzzer.log" || true
done
[ "$failures" -eq 0 ]
