// Where the build says that the compiler library is: the macro OXIDE_JIT_PATH, which CMake's targets define.
#pragma once

namespace oxide::jit::detail {

// A variable, because with OXIDE_LINKED the code that looks for the library is compiled where the macro is not known.
inline constinit const char* library_path_hint = nullptr;
#ifdef OXIDE_JIT_PATH
inline const bool library_path_hinted = (library_path_hint = OXIDE_JIT_PATH, true);
#endif

}  // namespace oxide::jit::detail
