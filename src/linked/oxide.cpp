// oxide's own code, compiled once: the library of the CMake target oxide::linked.
//
// Where the compiler library is, each program says itself: this library may be used on another machine than it was built on.
#undef OXIDE_JIT_PATH
#include <oxide/implementation.hpp>
