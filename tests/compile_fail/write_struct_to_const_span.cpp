// expect: this assigns to a copy, which changes nothing; the elements of an ox::Span<const T> cannot be written
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Pair {
  float a, b;
};
OXIDE_STRUCT(Pair, a, b)

void use(const ox::Span<const Pair>& in, const ox::Span<Pair>& out, const ox::Value<Pair>& x) {
#ifdef OXIDE_COMPILE_FAIL
  in[0] = x;
#else
  out.unchecked_mut(0) = x;
#endif
  static_cast<void>(in);
}
