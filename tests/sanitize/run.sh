#!/usr/bin/env bash
# run.sh SANITIZERS ROOMS SOURCE_FOLDER WORK_FOLDER CXX_COMPILER JIT_LIBRARY TEST_MAIN
# Builds the rooms' tests with the sanitizers and runs them, each executable in one process; they load the compiler library of the
# ordinary build.
set -euo pipefail
sanitizers=$1 rooms=$2 source=$3 work=$4 compiler=$5 jit=$6 main=$7

cmake -S "$source" -B "$work" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS="-O1 -g1" \
  -DOXIDE_SANITIZE="$sanitizers" -DOXIDE_TEST_ROOMS="$rooms" -DOXIDE_TEST_MAIN="$main" -DOXIDE_BUILD_JIT=OFF -DOXIDE_BUILD_EXAMPLES=OFF \
  -DOXIDE_BUILD_BENCH=OFF -DOXIDE_WERROR=OFF -DOXIDE_INSTALL=OFF >/dev/null
cmake --build "$work" --parallel "$(nproc)"

# A thread sanitizer of this age knows only the memory layout without randomization of newer kernels.
still=()
if setarch "$(uname -m)" -R true 2>/dev/null; then still=(setarch "$(uname -m)" -R); fi
export OXIDE_JIT=$jit
export OXIDE_SANITIZED=$sanitizers
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=second_deadlock_stack=1

failed=() count=0
while IFS= read -r executable; do
  [ -n "$executable" ] || continue
  echo "== $(basename "$executable")"
  "${still[@]}" "$executable" || failed+=("$(basename "$executable")")
  count=$((count + 1))
done <"$work/tests/executables.txt"
echo "$count executables, ${#failed[@]} failed: ${failed[*]}"
[ "$count" -gt 0 ] && [ "${#failed[@]}" -eq 0 ]
