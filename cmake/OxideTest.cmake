# oxide_add_test(NAME name ROOM room SOURCES a.cpp ... [LIBRARIES ...] [DEFINITIONS ...] [OPTIMIZED])
# One Catch2 executable; see tests/CMakeLists.txt. Tests are many functions that run once, and compile three times faster without
# optimization; OPTIMIZED where running takes the time, or where optimized code is what is tested.
function(oxide_add_test)
  cmake_parse_arguments(arg "OPTIMIZED" "NAME;ROOM" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT arg_ROOM IN_LIST oxide_rooms)
    message(FATAL_ERROR "oxide_add_test: '${arg_ROOM}' is not a room (${oxide_rooms})")
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE oxide_test_main oxide_test_interpreter oxide::linked ${arg_LIBRARIES})
  if(NOT arg_OPTIMIZED)
    target_compile_options(${arg_NAME} PRIVATE -O0)
  endif()
  target_compile_definitions(${arg_NAME} PRIVATE ${arg_DEFINITIONS})
  oxide_warnings(${arg_NAME})
  oxide_sanitize(${arg_NAME})
  set_property(GLOBAL APPEND PROPERTY oxide_test_executables ${arg_NAME})

  # The cases are listed after each link, so that ctest knows them without running anything.
  set(cases ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_cases.cmake)
  set(jit "")
  if(TARGET oxide-jit)
    set(jit $<TARGET_FILE:oxide-jit>)
  endif()
  add_custom_command(
    TARGET ${arg_NAME} POST_BUILD BYPRODUCTS ${cases}
    COMMAND ${CMAKE_COMMAND} -D executable=$<TARGET_FILE:${arg_NAME}> -D room=${arg_ROOM} -D output=${cases} -D jit=${jit}
            -P ${PROJECT_SOURCE_DIR}/cmake/ListTestCases.cmake
    VERBATIM)
  set(include_file ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_include.cmake)
  file(WRITE ${include_file}
       "if(EXISTS \"${cases}\")\n  include(\"${cases}\")\nelse()\n  add_test([==[${arg_ROOM}: ${arg_NAME} was not built]==] false)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include_file})
endfunction()
