#!/usr/bin/env bash
# rooms.sh INCLUDE_FOLDER: headers include only what their room may see.
#   - nothing of LLVM, CUDA or fmt anywhere;
#   - headers of the operating system only in runtime/cuda, runtime/cpu and jit;
#   - rooms depend one way (docs/architecture.md): dsl -> trace -> ir, jit -> ir, runtime -> jit, ir, async and array above them.
# The kernel object, where a lambda meets a launch, is the one place where dsl sees the runtime.
set -u
include=$1
failed=0

complain() { echo "$1: $2"; failed=1; }

# The rooms that a room may include; "" is oxide/error.hpp and the like, which all may.
allowed() {
  case $1 in
    ir) echo "ir" ;;
    trace) echo "trace ir" ;;
    jit) echo "jit ir" ;;
    runtime) echo "runtime jit ir" ;;
    dsl) echo "dsl trace ir jit runtime" ;;
    algorithm) echo "algorithm dsl trace ir jit runtime" ;;
    async | array) echo "$1 algorithm dsl trace ir jit runtime async" ;;
    *) echo "" ;;
  esac
}

standard='algorithm|any|array|atomic|barrier|bit|bitset|cassert|cctype|cerrno|cfenv|cfloat|charconv|chrono|cinttypes|climits|clocale|cmath|compare|complex|concepts|condition_variable|coroutine|csetjmp|csignal|cstdarg|cstddef|cstdint|cstdio|cstdlib|cstring|ctime|cwchar|deque|exception|execution|filesystem|forward_list|fstream|functional|future|initializer_list|iomanip|ios|iosfwd|iostream|istream|iterator|latch|limits|list|locale|map|memory|memory_resource|mutex|new|numbers|numeric|optional|ostream|queue|random|ranges|ratio|regex|scoped_allocator|semaphore|set|shared_mutex|source_location|span|sstream|stack|stdexcept|stop_token|streambuf|string|string_view|syncstream|system_error|thread|tuple|type_traits|typeindex|typeinfo|unordered_map|unordered_set|utility|valarray|variant|vector|version|assert.h|errno.h|fenv.h|float.h|inttypes.h|limits.h|math.h|stdarg.h|stddef.h|stdint.h|stdio.h|stdlib.h|string.h|time.h'

while IFS= read -r header; do
  name=${header#"$include"/oxide/}
  room=${name%%/*}
  [ "$room" = "$name" ] && room=umbrella
  while IFS= read -r included; do
    case $included in
      llvm/* | llvm-c/* | clang/* | cuda* | nv* | fmt/*) complain "$name" "includes <$included>" ;;
      oxide/*/*)
        target=${included#oxide/}
        target=${target%%/*}
        if [ "$room" != umbrella ]; then
          [[ " $(allowed "$room") " == *" $target "* ]] || complain "$name" "room $room must not see room $target: <$included>"
        fi
        ;;
      oxide/oxide.hpp) complain "$name" "includes the umbrella" ;;
      oxide/*) ;;
      *)
        if ! [[ $included =~ ^($standard)$ ]]; then
          [[ $name == runtime/cuda/* || $name == runtime/cpu/* || $name == jit/* ]] ||
            complain "$name" "includes <$included>, which is not of the standard library"
        fi
        ;;
    esac
  done < <(sed -n 's/^ *# *include *[<"]\([^>"]*\)[>"].*/\1/p' "$header")
done < <(find "$include/oxide" -name '*.hpp' -o -name '*.h' | sort)
exit $failed
