#!/usr/bin/env bash
# Builds everything and runs all tests. Arguments go to ctest: `scripts/test.sh -L safety` runs one room.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh tests
cmake --preset default -DOXIDE_BUILD_TESTS=ON -DOXIDE_BUILD_EXAMPLES=ON -DOXIDE_BUILD_BENCH=ON
cmake --build build --parallel "$(nproc)"

status=0
ctest --test-dir build --output-on-failure --parallel "$(nproc)" --no-tests=error "$@" | tee build/ctest.log || status=$?
echo
grep 'tests passed' build/ctest.log || { echo "oxide: ctest ran no test" >&2; [ "$status" -ne 0 ] || status=1; }
exit "$status"
