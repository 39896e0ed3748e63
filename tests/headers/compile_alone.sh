#!/usr/bin/env bash
# compile_alone.sh COMPILER INCLUDE_FOLDER: every header compiles on its own, without a warning, with nothing but -std=c++20.
set -u
compiler=$1 include=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0 count=0
while IFS= read -r header; do
  name=${header#"$include"/}
  # Twice: a header must also have its include guard.
  printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$work/unit.cpp"
  if ! "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "-I$include" "$work/unit.cpp" \
      2>"$work/messages"; then
    echo "<$name> does not compile on its own:"
    cat "$work/messages"
    failed=$((failed + 1))
  fi
  count=$((count + 1))
done < <(find "$include" -name '*.hpp' -o -name '*.h' | sort)
echo "$count headers, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
