#!/usr/bin/env bash
# check.sh COMPILER SOURCE INCLUDE_FOLDER
# The source must compile as it is; with OXIDE_COMPILE_FAIL defined it must not, and the compiler must say what the source's
# "// expect: REGEX" lines (POSIX extended, each has to match) ask for. The first shows that the second is no accident.
set -u
compiler=$1 source=$2 include=$3
flags=(-std=c++20 -fsyntax-only -DOXIDE_LINKED -Wall -Wextra "-I$include")

mapfile -t expected < <(sed -n 's|^// expect: ||p' "$source")
if [ ${#expected[@]} -eq 0 ]; then
  echo "$source: no '// expect: REGEX' line"
  exit 1
fi
if ! output=$("$compiler" "${flags[@]}" "$source" 2>&1); then
  printf '%s: does not compile even without OXIDE_COMPILE_FAIL:\n%s\n' "$source" "$output"
  exit 1
fi
if output=$("$compiler" "${flags[@]}" -DOXIDE_COMPILE_FAIL "$source" 2>&1); then
  echo "$source: compiles, but should not"
  exit 1
fi
for regex in "${expected[@]}"; do
  if ! [[ $output =~ $regex ]]; then
    printf '%s: refused, but the message does not match: %s\nThe compiler said:\n%s\n' "$source" "$regex" "$output"
    exit 1
  fi
done
echo "refused with: ${BASH_REMATCH[0]}"
