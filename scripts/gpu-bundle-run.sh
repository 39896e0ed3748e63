#!/usr/bin/env bash
# Runs what the bundle holds on this machine's GPU: run.sh [demo|tests|bench|sanitize|sanitize-tests|all]...
# sanitize-tests, which takes long and is not part of all: the tests under compute-sanitizer's memcheck, racecheck and synccheck;
# SANITIZE_TESTS names some of the executables, SANITIZE_TOOLS some of the tools.
# One line a step, then a summary; what each step printed is in logs/. Exits non-zero when a step failed.
# The bundle is unpacked beside this file, or into `unpacked` in the folder that OXIDE_BUNDLE_DIR names; OXIDE_BUNDLE_LOGS names another one for logs.
set -u
packed=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/content.tar.gz
here=${OXIDE_BUNDLE_DIR:-$(dirname "$packed")}/unpacked
if [ "$packed" -nt "$here/version" ]; then
  rm -rf "$here" && mkdir -p "$here" && tar -C "$here" -xzmf "$packed" || exit 2
fi
here=$(cd "$here" && pwd)
logs=${OXIDE_BUNDLE_LOGS:-$here/logs}
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)

export OXIDE_JIT=$here/lib/liboxide-jit.so
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# The programs need a C++ runtime; this machine's own is taken when it is new enough.
if ! "$here/examples/vecadd" --help >/dev/null 2>"$logs/runtime.log" && grep -qE 'libstdc\+\+|libgcc_s|GLIBCXX' "$logs/runtime.log"; then
  export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$here/lib/fallback
  "$here/examples/vecadd" --help 2>&1 | grep -q GLIBCXX && export LD_LIBRARY_PATH=$here/lib/fallback:$LD_LIBRARY_PATH
fi

passed=0 failed=0
# step NAME COMMAND...: runs it in the logs folder.
step() {
  local name=$1 log=$logs/${1//[ \/]/_}.log start=$SECONDS status=0 note=''
  shift
  (cd "$logs" && "$@") >"$log" 2>&1 || status=$?
  local skipped
  skipped=$(grep -c '^\[skipped\]' "$log")
  [ "$skipped" -eq 0 ] || note=", $skipped skipped"
  if [ "$status" -eq 0 ]; then
    passed=$((passed + 1))
    printf '%-28s ok (%d s%s)\n' "$name" $((SECONDS - start)) "$note"
  else
    failed=$((failed + 1))
    printf '%-28s FAILED with %d (%d s%s); the end of %s:\n' "$name" "$status" $((SECONDS - start)) "$note" "$log"
    tail -n 25 "$log" | sed 's/^/    /'
  fi
}

demo() {
  step "vecadd 2^28" "$here/examples/vecadd" --device gpu --n 268435456
  step image_filter "$here/examples/image_filter" --device gpu --in "$here/data/photo.png" --out "$logs/filtered.png"
  step mandelbrot "$here/examples/mandelbrot" --device gpu --out "$logs/mandelbrot.png"
  step nbody "$here/examples/nbody" --device gpu
  step host_closure "$here/examples/host_closure" --device gpu
  for name in histogram tiled_gemm reduce scan warp_reduce transpose hashmap cluster_ring; do
    step "$name" "$here/examples/$name" --device gpu
  done
}

tests() {
  for executable in "$here"/tests/*; do
    step "tests $(basename "$executable")" "$executable"
  done
}

bench() {
  for executable in "$here"/bench/bench_*; do
    step "$(basename "$executable")" "$executable"
    grep -hE '^[a-z_]+ [^ ]+ (ratio=|skip|error)' "$logs/$(basename "$executable").log" | sed 's/^/    /'
  done
}

# Prints its path.
find_sanitizer() {
  local tool candidate
  tool=$(command -v compute-sanitizer)
  for candidate in /usr/local/cuda*/bin/compute-sanitizer; do [ -n "$tool" ] || [ ! -x "$candidate" ] || tool=$candidate; done
  [ -n "$tool" ] || echo "compute-sanitizer            skipped: none on this machine" >&2
  echo "$tool"
}

# Kernels whose checks fail on purpose have the tag [fault]: their threads end between barriers, which synccheck may take for a mistake.
# Errors of the driver's calls are oxide's to handle and the tests' to expect, so they are not counted.
sanitize_tests() {
  local sanitizer tool name options=(--report-api-errors no --print-limit 1000 --error-exitcode 9)
  sanitizer=$(find_sanitizer)
  [ -n "$sanitizer" ] || return
  for name in ${SANITIZE_TESTS:-$(ls "$here/tests")}; do
    for tool in ${SANITIZE_TOOLS:-memcheck racecheck synccheck}; do
      step "$tool $name" "$sanitizer" --tool "$tool" "${options[@]}" "$here/tests/$name" '~[fault]'
    done
    "$here/tests/$name" --list-tests '[fault]' | grep -q '\[fault\]' || continue
    case " ${SANITIZE_TOOLS:-memcheck} " in
      *' memcheck '*)
        step "memcheck $name faults" "$sanitizer" --tool memcheck "${options[@]}" "$here/tests/$name" '[fault]' ;;
    esac
  done
}

sanitize() {
  local tool
  tool=$(find_sanitizer)
  [ -n "$tool" ] || return
  local check=("$tool" --tool memcheck --error-exitcode 9)
  step "memcheck vecadd" "${check[@]}" "$here/examples/vecadd" --device gpu --n 1048577
  step "memcheck image_filter" "${check[@]}" "$here/examples/image_filter" --device gpu --in "$here/data/photo.png" --out "$logs/memcheck.png"
  step "memcheck mandelbrot" "${check[@]}" "$here/examples/mandelbrot" --device gpu --rows 240 --out "$logs/memcheck.png"
  step "memcheck nbody" "${check[@]}" "$here/examples/nbody" --device gpu --n 2000 --steps 5
  step "memcheck host_closure" "${check[@]}" "$here/examples/host_closure" --device gpu --n 100003
}

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(all)
for what in "${wanted[@]}"; do
  case $what in
    demo | tests | bench | sanitize) "$what" ;;
    sanitize-tests) sanitize_tests ;;
    all) demo; tests; bench; sanitize ;;
    *) echo "run.sh: demo, tests, bench, sanitize, sanitize-tests or all, not '$what'" >&2; exit 2 ;;
  esac
done
echo "oxide $(cat "$here/version"): $passed passed, $failed failed"
[ "$failed" -eq 0 ]
