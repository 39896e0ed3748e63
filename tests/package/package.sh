#!/usr/bin/env bash
# package.sh WAY COMPILER SOURCE_FOLDER BUILD_FOLDER JIT_LIBRARY: oxide is used by another project, in one of these ways.
#   install       installed, moved elsewhere, found by find_package; the compiler library is found without a hint
#   subdirectory  by add_subdirectory, from a project that has neither tests nor examples of oxide
#   copied        include/ copied into a project that has nothing but -std=c++20 -Iinclude
set -euo pipefail
way=$1 compiler=$2 source=$3 build=$4 jit=$5
work=$(mktemp -d)
export OXIDE_DEVICE=cpu
trap 'rm -rf "$work"' EXIT
consumer=$source/tests/package/consumer

configure() { cmake -G Ninja -S "$consumer" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug "$@"; }

case $way in
  install)
    cmake --install "$build" --prefix "$work/first" >/dev/null
    mv "$work/first" "$work/moved"
    if grep -rlaF -e "$source" -e "$build" "$work/moved" --include='*.cmake' --include='*.hpp' --include='*.h' --include='*.a'; then
      echo "the files above of the installed package name this build's folders"
      exit 1
    fi
    configure -DCMAKE_PREFIX_PATH="$work/moved"
    cmake --build "$work/build"
    for consumer in oxide linked; do env -u OXIDE_JIT "$work/build/consumer_$consumer"; done
    ;;
  subdirectory)
    configure -DOXIDE_SOURCE="$source" -DOXIDE_BUILD_JIT=OFF
    cmake --build "$work/build"
    if [ -n "$(find "$work/build" -name '*test*.o' -o -name 'vecadd*')" ]; then
      echo "a subproject must not build tests or examples"
      exit 1
    fi
    for consumer in oxide linked; do OXIDE_JIT=$jit "$work/build/consumer_$consumer"; done
    ;;
  copied)
    cp -r "$source/include" "$work/include"
    cp "$consumer"/*.[ch]pp "$work/"
    cd "$work"
    "$compiler" -std=c++20 -Iinclude main.cpp elsewhere.cpp -o consumer
    OXIDE_JIT=$jit ./consumer
    ;;
  *)
    echo "unknown way: $way"
    exit 2
    ;;
esac
