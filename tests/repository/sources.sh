#!/usr/bin/env bash
# sources.sh FOLDER: what every text file of the repository keeps to.
set -u
cd "$1" || exit 2
failed=0

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard)
else
  mapfile -t files < <(find . -type f -not -path './build*' -not -path './.git/*' | sed 's|^\./||')
fi

complain() { if [ -n "$2" ]; then printf '%s:\n%s\n' "$1" "$2"; failed=1; fi; }

text=() code=()
for file in "${files[@]}"; do
  [ -f "$file" ] || continue
  case $file in
    LICENSE | *.png | *.bc) continue ;;
    *.cpp | *.hpp | *.h) code+=("$file") ;;
  esac
  text+=("$file")
done
[ ${#code[@]} -gt 0 ] || { echo "no sources found"; exit 1; }

complain "folders of one machine" "$(grep -nE '(^|[^A-Za-z0-9_.}])/(home|root|work|Users|mnt|tmp/[a-z])' "${text[@]}" | grep -v '^tests/repository/')"
complain "tabs" "$(grep -nP '\t' "${text[@]}")"
complain "spaces at the end of a line" "$(grep -nE ' +$' "${code[@]}")"
complain "lines of more than 140 columns" "$(LC_ALL=C.UTF-8 awk 'length > 140 { print FILENAME ":" FNR }' "${code[@]}")"
complain "no newline at the end" "$(for f in "${text[@]}"; do [ -z "$(tail -c 1 "$f")" ] || echo "$f"; done)"
complain "headers without #pragma once or an include guard" \
  "$(for f in "${code[@]}"; do [[ $f != *.hpp ]] || grep -q '^#pragma once' "$f" || echo "$f"; done)"
complain "pages that docs/index.md does not name" \
  "$(for f in docs/*.md; do [ "$f" = docs/index.md ] || grep -qF "($(basename "$f"))" docs/index.md || echo "$f"; done)"
exit $failed
