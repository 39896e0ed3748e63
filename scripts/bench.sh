#!/usr/bin/env bash
# Builds and runs the benchmarks: all, or those named. Prints one line a figure:
#   NAME CASE ratio=X goal=Y pass|fail      or      NAME CASE skip WHY
# and exits non-zero when a figure misses its goal.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=(header_weight trace first_call launch cpu_simt gpu_primitives)
names=("$@")
[ ${#names[@]} -gt 0 ] || names=("${all[@]}")
for name in "${names[@]}"; do
  [[ " ${all[*]} " == *" $name "* ]] || { echo "oxide: no benchmark '$name'; there are: ${all[*]}" >&2; exit 2; }
done

{
  scripts/setup.sh bench
  [ -e build/CMakeCache.txt ] && options=() || options=(-DOXIDE_BUILD_TESTS=OFF)
  cmake --preset default -DOXIDE_BUILD_BENCH=ON "${options[@]}"
  cmake --build build --parallel "$(nproc)" --target "${names[@]/#/bench_}"
} >&2

failed=0
for name in "${names[@]}"; do
  "build/bench/bench_$name" || failed=1
done
exit $failed
