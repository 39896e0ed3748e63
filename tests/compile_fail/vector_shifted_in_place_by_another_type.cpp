// expect: only integers are shifted, by a vector of the same type, by a number of that type
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(ox::u32x4& x, const ox::u64& n) {
#ifdef OXIDE_COMPILE_FAIL
  x >>= n;
#else
  x >>= ox::cast<std::uint32_t>(n);
#endif
}
