#!/usr/bin/env bash
# light.sh COMPILER INCLUDE_FOLDER: the umbrella without oxide's own code brings in none of the standard headers that weigh most, the ones
# with streams and locales, algorithms, clocks and threads, nor one that includes them.
set -euo pipefail
compiler=$1 include=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '#include <oxide/oxide.hpp>' >"$folder/user.cpp"
"$compiler" -std=c++20 -DOXIDE_LINKED -I"$include" -M "$folder/user.cpp" | tr ' \\' '\n\n' >"$folder/headers"
grep -q '/oxide/oxide.hpp$' "$folder/headers"
heavy='ostream|istream|ios|locale|iostream|sstream|memory|functional|algorithm|ranges|iterator|chrono|mutex|thread|atomic|condition_variable|map|unordered_map|regex|filesystem|optional|variant|random'
if grep -E "/($heavy)$" "$folder/headers"; then
  echo "the umbrella brings these in: where they are needed by oxide's own code, include them there (*_implementation.hpp)"
  exit 1
fi
