#!/usr/bin/env bash
# Makes sure that what oxide builds with is there, and installs what is missing through apt. Works offline when nothing is.
#   scripts/setup.sh          what the compiler library and the examples need
#   scripts/setup.sh tests    also what the tests need
#   scripts/setup.sh bench    also what benchmarks compare with, where the package sources have it
set -euo pipefail

packages=() reasons=()

# need PACKAGE WHY COMMAND...: PACKAGE is missing when COMMAND fails.
need() {
  local package=$1 why=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    packages+=("$package")
    reasons+=("$why")
  fi
}
have() { command -v "$1"; }
# Major version of a compiler is at least $2.
compiler_at_least() { [ "$("$1" -dumpversion | cut -d. -f1)" -ge "$2" ]; }
# A header is found by the C compiler; before there is one, by its usual place.
header() { if have c++; then echo "#include <$1>" | c++ -E -x c++ -; else [ -e "/usr/include/$1" ]; fi; }
llvm_22() { [ -e /usr/lib/llvm-22/lib/cmake/llvm/LLVMConfig.cmake ] || [ -e "${LLVM_DIR:-}/LLVMConfig.cmake" ]; }

need g++ "C++20 compiler" have g++
need cmake "configures the build" have cmake
need ninja-build "runs the build" have ninja
need llvm-22-dev "LLVM 22, linked statically into the compiler library" llvm_22
need zlib1g-dev "compression, used by LLVM" header zlib.h
need libzstd-dev "compression, used by LLVM" header zstd.h
need libclc-22 "device mathematics, for GPU machines without a CUDA toolkit" test -e /usr/lib/clc/nvptx64--nvidiacl.bc
need clang-22 "compiles device mathematics to bitcode, for the same" have clang++-22
need libfmt-dev "text formatting in the compiler library and the examples" header fmt/format.h
need libpng-dev "the examples read and write PNG pictures" header png.h
if [ "${1:-}" = tests ]; then
  need catch2 "the test framework" sh -c 'ls /usr/include/catch2/*.hpp'
  need libmpfr-dev "what numbers and mathematical functions are compared with" header mpfr.h
  need clang-format-22 "checks the layout of the sources" have clang-format-22
  need clang-tidy-22 "checks the sources for common mistakes" have clang-tidy-22
fi
# Optional: a benchmark skips what is not there.
if [ "${1:-}" = bench ] && [[ $(apt-cache policy pocl-opencl-icd 2>/dev/null) =~ Candidate:\ [^\(] ]]; then
  need pocl-opencl-icd "what benchmarks of the CPU device compare with" sh -c 'ls /etc/OpenCL/vendors/pocl.icd'
  need ocl-icd-libopencl1 "loads it" sh -c 'ldconfig -p | grep libOpenCL.so.1'
fi

if [ ${#packages[@]} -gt 0 ]; then
  if ! have apt-get >/dev/null; then
    echo "oxide: these are missing, and there is no apt-get to install them with: ${packages[*]}" >&2
    exit 1
  fi
  echo "oxide: installing ${#packages[@]} missing package(s):"
  for i in "${!packages[@]}"; do printf '  %-16s %s\n' "${packages[i]}" "${reasons[i]}"; done
  sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    have sudo >/dev/null || { echo "oxide: installing packages needs root: run 'apt-get install ${packages[*]}' as root" >&2; exit 1; }
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  unknown=()
  for package in "${packages[@]}"; do
    [[ $(apt-cache policy "$package") =~ Candidate:\ [^\(] ]] || unknown+=("$package")
  done
  if [ ${#unknown[@]} -gt 0 ]; then
    echo "oxide: this system's package sources do not have: ${unknown[*]}" >&2
    echo "oxide: LLVM 22 for other Debian and Ubuntu releases is at https://apt.llvm.org" >&2
    exit 1
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

if ! compiler_at_least g++ 12; then
  echo "oxide: g++ 12 or newer is needed, this is $(g++ -dumpfullversion)" >&2
  exit 1
fi
