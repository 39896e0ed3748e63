#!/usr/bin/env bash
# tidy.sh CLANG_TIDY SOURCE_FOLDER: clang-tidy, by .clang-tidy, over every header.
set -euo pipefail
tidy=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find "$source/include" \( -name '*.hpp' -o -name '*.h' \) -printf '#include <%P>\n' | sort >"$work/all_headers.cpp"
"$tidy" --quiet --config-file="$source/.clang-tidy" "$work/all_headers.cpp" -- -std=c++20 "-I$source/include"
