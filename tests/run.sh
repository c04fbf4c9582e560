#!/usr/bin/env bash
# Installs what the tests need, builds everything and tests it.
#
# Usage: tests/run.sh [PART...]      default: all parts, in this order
#   unit          every test, against the release build
#   differential  random cases, compared with NumPy, ONNX and onnxruntime
#   asan          core and codec under AddressSanitizer and UBSan
#   tsan          threads and server under ThreadSanitizer
#   fuzz          the fuzzers, for a bounded time
#   style         layers, formatting, linters
#   install       a program built against the installed library
#   container     the Dockerfile, built and run
#
# The last line counts: each test program of unit, asan and tsan, and one for
# each other part.  A part that cannot run here is skipped and says why.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

readonly SKIPPED=77  # the exit status of a script that could not run
# CTest's last words, as "FAILED TOTAL".
readonly RESULT='s/.*% tests passed, ([0-9]+) .* out of ([0-9]+)$/\1 \2/p'
passed=0 failed=0 skipped=0
jobs=$(nproc)
mkdir -p build/logs

# build PRESET TARGET...: configures and builds, quietly unless it fails.
build() {
  local preset=$1 log=build/logs/$1.log
  shift
  echo "building $preset ($*); log in $log"
  cmake --preset "$preset" >"$log" 2>&1 &&
    cmake --build --preset "$preset" -j "$jobs" --target "$@" >>"$log" 2>&1 &&
    return
  grep -E -A 12 'error|FAILED|CMake Error' "$log" | head -n 100
  return 1
}

# run_ctest PRESET: runs a preset's tests and adds them to the counts.
run_ctest() {
  local log=build/logs/$1-ctest.log
  ctest --preset "$1" -j "$jobs" 2>&1 | tee "$log"
  local summary not_run
  summary=$(sed -nE "$RESULT" "$log")
  if [ -z "$summary" ]; then
    failed=$((failed + 1))
    return
  fi
  not_run=$(grep -cE '\*\*\*Skipped' "$log")
  failed=$((failed + ${summary% *}))
  skipped=$((skipped + not_run))
  passed=$((passed + ${summary#* } - ${summary% *} - not_run))
}

# run_preset PRESET TARGET...: builds targets and runs the preset's tests.
run_preset() {
  if build "$@"; then
    run_ctest "$1"
  else
    failed=$((failed + 1))
  fi
}

# run_script SCRIPT ARGUMENT...: counts as one.
run_script() {
  "$@"
  case $? in
    0) passed=$((passed + 1)) ;;
    "$SKIPPED") skipped=$((skipped + 1)) ;;
    *)
      failed=$((failed + 1))
      echo "FAILED: $*"
      ;;
  esac
}

run_part() {
  case $1 in
    unit) run_preset release all ;;
    differential) run_script tests/differential/run.sh ;;
    asan) run_preset asan core_tests proto_tests backends_tests ;;
    tsan) run_preset tsan core_tests server_tests ;;
    fuzz) run_script tests/fuzz/run.sh ;;
    style) run_script tests/style/run.sh ;;
    install) run_script tests/install/run.sh ;;
    container) run_script tests/container/run.sh ;;
    *)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
      exit 2
      ;;
  esac
}

[ $# -gt 0 ] || set -- unit differential asan tsan fuzz style install container
deploy/install_packages.sh build test || exit 1
for part in "$@"; do
  started=$SECONDS
  echo "=== $part"
  run_part "$part"
  echo "=== $part took $((SECONDS - started)) s"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
