#!/usr/bin/env bash
# Builds oxide and runs its demonstration: vector addition and an image filter, on the best device of this machine.
# Works on a bare Debian or Ubuntu machine, and again and again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
options=()
# A build that already has the tests keeps them.
[ -e build/CMakeCache.txt ] || options=(-DOXIDE_BUILD_TESTS=OFF -DOXIDE_BUILD_BENCH=OFF)
cmake --preset default "${options[@]}" >build-demo.log 2>&1 || { cat build-demo.log >&2; rm -f build-demo.log; exit 1; }
rm -f build-demo.log
echo "oxide: building (the compiler library links LLVM, so the first build takes a minute or two)"
cmake --build build --parallel "$(nproc)" --target oxide-jit vecadd image_filter

failed=0
for example in vecadd image_filter; do
  echo
  echo "== $example"
  (cd build/examples && "./$example") || { echo "oxide: $example failed" >&2; failed=1; }
done
exit $failed
