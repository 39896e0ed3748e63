#!/usr/bin/env bash
# Formats the sources by .clang-format; with --check only says which are not.
#   scripts/format.sh [--check] [FILE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(-i)
if [ "${1:-}" = --check ]; then
  mode=(--dry-run --Werror)
  shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(find include src tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) | sort)
fi
clang-format-22 "${mode[@]}" "${files[@]}"
