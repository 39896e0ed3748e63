# OXIDE_SANITIZE applies to tests, examples and benchmarks. The compiler library is left out: LLVM is not instrumented, and
# a sanitized program may load a compiler library of another build through OXIDE_JIT.
#
# oxide_sanitize(TARGET): compiles and links a program with the chosen sanitizers.
function(oxide_sanitize target)
  if(OXIDE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${OXIDE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${OXIDE_SANITIZE})
  endif()
endfunction()
