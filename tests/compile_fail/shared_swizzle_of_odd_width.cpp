// expect: an XorSwizzle needs a power of two of columns
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use() { ox::Shared2D<float, 8, 33, ox::XorSwizzle<>> tile; }
#else
void use() { ox::Shared2D<float, 8, 32, ox::XorSwizzle<>> tile; }
#endif
