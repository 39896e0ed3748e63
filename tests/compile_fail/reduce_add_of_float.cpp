// expect: this reduction takes ox::u32 or ox::i32
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use(const ox::f32& x) { ox::warp::reduce_add(x); }
#else
void use(const ox::u32& x) { ox::warp::reduce_add(x); }
#endif
