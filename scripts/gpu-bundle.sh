#!/usr/bin/env bash
# Makes build/gpu-bundle/: examples, tests and benchmarks with all they need, packed, and a run.sh that unpacks and runs them, for any
# x86-64 Linux machine (glibc no older than this one's) that has NVIDIA's driver and nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

limit_mib=60
out=build/gpu-bundle
bundle=$out/content
examples=(vecadd host_closure image_filter mandelbrot nbody
          histogram tiled_gemm reduce scan warp_reduce transpose hashmap cluster_ring)
benches=(trace first_call launch gpu_primitives)

scripts/setup.sh tests
cmake --preset default -DOXIDE_BUILD_TESTS=ON -DOXIDE_BUILD_EXAMPLES=ON -DOXIDE_BUILD_BENCH=ON
cmake --build build --parallel "$(nproc)"

rm -rf "$out"
mkdir -p "$bundle"/{examples,tests,bench,lib,lib/fallback,data}
for name in "${examples[@]}"; do cp "build/examples/$name" "$bundle/examples/"; done
for name in "${benches[@]}"; do cp "build/bench/bench_$name" "$bundle/bench/"; done
# Without those that never see a device: tests with fakes of the compiler and the driver, of graphs, and of what tracing refuses.
while IFS= read -r executable; do
  case $executable in
    '' | *_fakes | */ir_tests | */trace_rules) ;;
    *) cp "$executable" "$bundle/tests/" ;;
  esac
done <build/tests/executables.txt
find examples -name '*.png' -exec cp {} "$bundle/data/" \;
cp "$(find build/src/jit -name 'liboxide-jit.so' | head -n 1)" "$bundle/lib/"
cp scripts/gpu-bundle-run.sh "$out/run.sh"
git rev-parse --short HEAD >"$bundle/version" 2>/dev/null || echo unknown >"$bundle/version"

# Shared libraries, but for the C library's own. The C++ runtime is used only where the machine has none that is new enough.
ldd "$bundle"/examples/* "$bundle"/tests/* "$bundle"/bench/* "$bundle/lib/liboxide-jit.so" |
  sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  while IFS= read -r library; do
    case $(basename "$library") in
      libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
      libstdc++.so* | libgcc_s.so*) cp -L "$library" "$bundle/lib/fallback/" ;;
      *) cp -L "$library" "$bundle/lib/" ;;
    esac
  done
find "$bundle" -type f \( -perm -u+x -o -name '*.so*' \) ! -name '*.sh' -exec strip --strip-all {} +

tar -C "$bundle" -czf "$out/content.tar.gz" .
rm -r "$bundle"
size_kib=$(du -sk "$out" | cut -f1)
echo "$out: $((size_kib / 1024)) MiB; on the machine with the GPU: run.sh [demo|tests|bench|sanitize|sanitize-tests|all]"
if [ "$size_kib" -gt $((limit_mib * 1024)) ]; then
  echo "oxide: the bundle is larger than $limit_mib MiB:" >&2
  tar -tvzf "$out/content.tar.gz" | sort -rnk3 | head -n 5 >&2
  exit 1
fi
