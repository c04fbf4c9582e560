#!/usr/bin/env bash
# The kernels' files are compiled for several instruction sets.  A function
# that two of them define in common, as an inline function of a header would
# be, is linked once: with the wrong instructions for the machine perhaps.
#
# Usage: tests/backends/kernel_symbols_test.sh libscatterd_core.a
# Exit status: 77 if this build inlines little (it is not what is shipped).
set -euo pipefail

readonly library=${1:?the library}

if nm "$library" 2>/dev/null | grep -qE '__(asan|tsan|gcov)_'; then
  echo "instrumented: nothing to see here"
  exit 77
fi

# Weak symbols (V, W, u) of members that define a kernel.
found=$(nm -C "$library" | awk '
  /\.o:$/ { report(); kernel = 0; weak = ""; next }
  / T scatterd::cpu::(baseline|avx2|avx512)::/ { kernel = 1; ++kernels }
  / [VWu] / { weak = weak $0 "\n" }
  function report() { if (kernel && weak != "") printf "%s", weak }
  END { report(); if (kernels < 1) print "no kernels in the library" }')
[ -z "$found" ] && exit
echo "$found"
exit 1
