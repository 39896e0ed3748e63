#!/usr/bin/env bash
# Formats the sources by .clang-format; with --check only says which are not.
#   scripts/format.sh [--check] [FILE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check=false
if [ "${1:-}" = --check ]; then
  check=true
  shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(find include src tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) | sort)
fi
if ! $check; then
  clang-format-22 -i "${files[@]}"
elif ! complaints=$(clang-format-22 --dry-run --Werror "${files[@]}" 2>&1); then
  echo "not formatted (scripts/format.sh does it):"
  sed -n 's/^\([^: ]*\):[0-9]*:.*/\1/p' <<<"$complaints" | sort -u
  exit 1
fi
