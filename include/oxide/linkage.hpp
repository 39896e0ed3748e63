// Where oxide's own code is compiled. Without OXIDE_LINKED it is all inline: include/ is enough. With OXIDE_LINKED the umbrella brings
// declarations only, which compile several times faster, and the program links a library of one source file that includes
// <oxide/implementation.hpp> (CMake: target oxide::linked).
#pragma once

#ifdef OXIDE_LINKED
#define OXIDE_INLINE
#else
#define OXIDE_INLINE inline
#endif
