// expect: only integers are shifted, by a vector of the same type
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u32x4 use(const ox::u32x4& x, const ox::i32x4& n) {
#ifdef OXIDE_COMPILE_FAIL
  return x << n;
#else
  return x << ox::cast<std::uint32_t>(n);
#endif
}
