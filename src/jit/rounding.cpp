#include "rounding.hpp"

#include <cfenv>
#include <cmath>

namespace oxide::jit {

namespace {

// Sets the rounding mode for a scope. Numbers go in and out of it through `opaque`, so that the compiler, which takes rounding to nearest
// for granted, moves no operation across.
class Rounding {
 public:
  explicit Rounding(int mode) : saved_(std::fegetround()) {
    std::fesetround(mode == 1 ? FE_TOWARDZERO : mode == 2 ? FE_DOWNWARD : FE_UPWARD);
  }
  ~Rounding() { std::fesetround(saved_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int saved_;
};

template <class T>
[[gnu::always_inline]] inline T opaque(T x) {
  asm volatile("" : "+m"(x) : : "memory");
  return x;
}

}  // namespace

#define OXIDE_JIT_ROUNDED(expression)             \
  {                                               \
    const Rounding rounding(mode);                \
    return opaque<T>(static_cast<T>(expression)); \
  }
template <class T>
T add_rounded(T x, T y, int mode) OXIDE_JIT_ROUNDED(opaque(x) + opaque(y)) template <class T>
T sub_rounded(T x, T y, int mode) OXIDE_JIT_ROUNDED(opaque(x) - opaque(y)) template <class T>
T mul_rounded(T x, T y, int mode) OXIDE_JIT_ROUNDED(opaque(x) * opaque(y)) template <class T>
T div_rounded(T x, T y, int mode) OXIDE_JIT_ROUNDED(opaque(x) / opaque(y)) template <class T>
T fma_rounded(T x, T y, T z, int mode) OXIDE_JIT_ROUNDED(std::fma(opaque(x), opaque(y), opaque(z))) template <class T>
T sqrt_rounded(T x, int mode) OXIDE_JIT_ROUNDED(std::sqrt(opaque(x))) template <class T>
T from_double_rounded(double x, int mode) OXIDE_JIT_ROUNDED(opaque(x)) template <class T>
T from_signed_rounded(std::int64_t x, int mode) OXIDE_JIT_ROUNDED(opaque(x))
// From 2^63 on by half of it, with its last bit kept as one that says that there was something.
    template <class T>
    T from_unsigned_rounded(std::uint64_t x, int mode)
        OXIDE_JIT_ROUNDED(x >> 63 != 0 ? static_cast<T>(opaque(static_cast<std::int64_t>(x >> 1 | (x & 1)))) * 2
                                       : static_cast<T>(opaque(static_cast<std::int64_t>(x))))
#undef OXIDE_JIT_ROUNDED

#define OXIDE_JIT_INSTANCES(T)                          \
  template T add_rounded<T>(T, T, int);                 \
  template T sub_rounded<T>(T, T, int);                 \
  template T mul_rounded<T>(T, T, int);                 \
  template T div_rounded<T>(T, T, int);                 \
  template T fma_rounded<T>(T, T, T, int);              \
  template T sqrt_rounded<T>(T, int);                   \
  template T from_double_rounded<T>(double, int);       \
  template T from_signed_rounded<T>(std::int64_t, int); \
  template T from_unsigned_rounded<T>(std::uint64_t, int);
            OXIDE_JIT_INSTANCES(float) OXIDE_JIT_INSTANCES(double)
#undef OXIDE_JIT_INSTANCES

}  // namespace oxide::jit
