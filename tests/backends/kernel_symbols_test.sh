#!/usr/bin/env bash
# The kernels' files are compiled for several instruction sets.  A function
# that two of them define in common, as an inline function of a header would
# be, is linked once: with the wrong instructions for the machine perhaps.
# Looks at a release build: others inline less, and are not shipped.
#
# Usage: tests/backends/kernel_symbols_test.sh libscatterd_core.a
set -euo pipefail

readonly library=${1:?the library}

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
