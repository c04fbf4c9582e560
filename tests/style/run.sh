#!/usr/bin/env bash
# Style: layers, formatting, linters.  Reports every problem, then fails.
#
# Usage: tests/style/run.sh [--all]
# clang-tidy reads build/release/compile_commands.json and looks at core/; with
# --all it looks at every source file, which takes minutes.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

readonly VENV=build/venv
readonly BUF_VERSION=1.75.0
failures=0

# check NAME COMMAND...: runs it; prints its output only when it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "  ok      $name"
  else
    echo "  FAILED  $name"
    printf '%s\n' "$output" | tail -n 60
    failures=$((failures + 1))
  fi
}

skip() { echo "  skipped $1: $2"; }

# Tracked and new files that match the given patterns.
files() {
  git ls-files --cached --others --exclude-standard -- "$@" |
    while read -r file; do [ -e "$file" ] && echo "$file"; done
}

formatted() {
  files '*.cc' '*.h' '*.cu' | xargs clang-format --dry-run --Werror
}

# The limits that no tool above enforces.
limits() {
  local problems
  problems=$(
    files '*.cc' '*.h' '*.cu' '*.inc' '*.py' '*.sh' '*.proto' | xargs awk '
      FNR == 501 { print FILENAME ": more than 500 lines" }
      length > 80 { print FILENAME ":" FNR ": more than 80 columns" }
      /[ \t]$/ { print FILENAME ":" FNR ": trailing space" }'
    files '*.cc' '*.h' '*.cu' '*.inc' '*.py' '*.proto' |
      xargs grep -nE 'TODO|FIXME' /dev/null
  )
  [ -z "$problems" ] || { echo "$problems"; return 1; }
}

shell_scripts() { { files '*.sh'; files .ci/run; } | xargs shellcheck; }

yaml() { files '*.yaml' '*.yml' .yamllint | xargs yamllint --strict; }

tidy() {
  local sources=(core/*.cc core/**/*.cc)
  $all && mapfile -t sources < <(files 'core/*.cc' 'proto/*.cc' 'server/*.cc' \
    'client/ctl/*.cc' 'client/scatterd/*.cc')
  printf '%s\n' "${sources[@]}" | sort -u |
    xargs -P "$(nproc)" -n 1 timeout 300 clang-tidy --quiet -p build/release \
      2>&1 | grep -v 'warnings generated'
  return "${PIPESTATUS[1]}"
}

buf_installed() {
  [ "$("$VENV/bin/buf" --version 2>/dev/null)" = "$BUF_VERSION" ] && return
  { [ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV"; } &&
    "$VENV/bin/pip" install -q "buf-bin==$BUF_VERSION"
}

all=false
[ "${1:-}" = --all ] && all=true
shopt -s globstar nullglob

check "layers" tests/style/layers.sh
check "clang-format" formatted
check "limits" limits
check "shellcheck" shell_scripts
check "yamllint" yaml
check "docs/dialects.md" docs/generate_dialects.py --check
if ! buf_installed >build/buf.log 2>&1; then
  skip "buf" "buf-bin $BUF_VERSION cannot be installed (build/buf.log)"
else
  check "buf lint" "$VENV/bin/buf" lint
  tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
  if [ -n "$tag" ]; then
    check "buf breaking ($tag)" "$VENV/bin/buf" breaking \
      --against ".git#tag=$tag"
  else
    skip "buf breaking" "no release yet"
  fi
fi
if [ -f build/release/compile_commands.json ]; then
  check "clang-tidy" tidy
else
  skip "clang-tidy" "build/release is not configured"
fi

[ "$failures" -eq 0 ]
