# oxide_warnings(TARGET): the warnings that oxide's own code is kept free of, with g++ 12 and clang++ 22.
set(OXIDE_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong about operator+ of std::string when it is inlined (GCC bugs 105329 and 105651).
  list(APPEND OXIDE_WARNING_FLAGS -Wno-restrict -Wno-stringop-overflow)
endif()
if(OXIDE_WERROR)
  list(APPEND OXIDE_WARNING_FLAGS -Werror)
endif()

function(oxide_warnings target)
  target_compile_options(${target} PRIVATE ${OXIDE_WARNING_FLAGS})
endfunction()
