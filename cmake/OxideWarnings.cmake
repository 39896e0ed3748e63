# oxide_warnings(TARGET): the warnings that oxide's own code is kept free of, with g++ 12 and clang++ 22.
set(OXIDE_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(OXIDE_WERROR)
  list(APPEND OXIDE_WARNING_FLAGS -Werror)
endif()

function(oxide_warnings target)
  target_compile_options(${target} PRIVATE ${OXIDE_WARNING_FLAGS})
endfunction()
