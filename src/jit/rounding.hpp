// Arithmetic of the CPU in a rounding mode: 1 toward zero, 2 down, 3 up. The thread's own mode is set back before they return.
#pragma once

#include <cstdint>

namespace oxide::jit {

template <class T>
T add_rounded(T x, T y, int mode);
template <class T>
T sub_rounded(T x, T y, int mode);
template <class T>
T mul_rounded(T x, T y, int mode);
template <class T>
T div_rounded(T x, T y, int mode);
template <class T>
T fma_rounded(T x, T y, T z, int mode);
template <class T>
T sqrt_rounded(T x, int mode);
template <class T>
T from_double_rounded(double x, int mode);
template <class T>
T from_signed_rounded(std::int64_t x, int mode);
template <class T>
T from_unsigned_rounded(std::uint64_t x, int mode);

}  // namespace oxide::jit
