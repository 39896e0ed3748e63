#!/usr/bin/env bash
# assemble.sh COLLECTOR JIT_LIBRARY FOLDER TEST_EXECUTABLE...
# Runs the tests with a compiler library that collects the PTX of every kernel, then gives all of it to ptxas.
set -euo pipefail
collector=$1 jit=$2 folder=$3
shift 3

ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas /opt/cuda/bin/ptxas 2>/dev/null | head -n 1 || true)
if [ -z "$ptxas" ]; then
  echo "[skipped] no ptxas: it comes with a CUDA toolkit"
  exit 0
fi

rm -rf "$folder"
mkdir -p "$folder"
export OXIDE_JIT=$collector OXIDE_COLLECT_WITH=$jit OXIDE_COLLECT_IN=$folder
failed=0
printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} sh -c '"$1" >"$2/$(basename "$1").log" 2>&1 || echo "$1 failed: $(tail -n 20 "$2/$(basename "$1").log")"' _ {} "$folder" \
  >"$folder/failures"
[ ! -s "$folder/failures" ] || { cat "$folder/failures"; failed=1; }

cat "$folder"/*.error 2>/dev/null && failed=1
# A test gives the driver an instruction that there is not, to see it refused.
grep -lZ 'no\.such\.instruction' "$folder"/*.ptx | xargs -0 -r rm || true
# Whether it assembles does not depend on how much the assembler optimizes.
export ptxas
find "$folder" -name '*.ptx' -print0 |
  xargs -0 -P "$(nproc)" -n 16 bash -c 'for f in "$@"; do
    sm=${f##*/}; sm=${sm%%-*}
    "$ptxas" -O0 -arch="$sm" "$f" -o /dev/null >"$f.log" 2>&1 || { echo "$f:"; head -n 5 "$f.log"; exit 1; }
  done' _ >"$folder/refused" || failed=1
cat "$folder/refused"
find "$folder" -name '*.ptx' -print0 | xargs -0 awk -f "$(dirname "$0")/narrow_stores.awk" >"$folder/narrow_stores"
[ ! -s "$folder/narrow_stores" ] || { echo "parts of floating-point registers are stored:"; head -n 20 "$folder/narrow_stores"; failed=1; }
for sm in sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120; do
  count=$(find "$folder" -name "$sm-*.ptx" | wc -l)
  echo "$sm: $count kernels"
  [ "$count" -ge 100 ] || { echo "that is too few to be all"; failed=1; }
done
exit $failed
