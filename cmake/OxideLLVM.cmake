# Finds the one LLVM major that oxide is written against. Distributions put each major in a folder of its own.
set(OXIDE_LLVM_MAJOR 22)
# LLVM's package only accepts a major with its minor; releases of a major are numbered MAJOR.1.x.
find_package(LLVM ${OXIDE_LLVM_MAJOR}.1 CONFIG
             HINTS /usr/lib/llvm-${OXIDE_LLVM_MAJOR}/lib/cmake/llvm /usr/local/llvm-${OXIDE_LLVM_MAJOR}/lib/cmake/llvm
                   /opt/llvm-${OXIDE_LLVM_MAJOR}/lib/cmake/llvm)
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "oxide-jit needs LLVM ${OXIDE_LLVM_MAJOR} (Debian: apt-get install llvm-${OXIDE_LLVM_MAJOR}-dev). "
                      "Set LLVM_DIR to its lib/cmake/llvm folder, or build the headers alone with -DOXIDE_BUILD_JIT=OFF.")
endif()
