// Every cast between types of numbers, against GNU MPFR and wide integers.
#include "cast_operations.hpp"

namespace {

using namespace numbers;

template <class T>
inline constexpr auto cast_kernel = OXIDE_NUMBERS_KERNEL("casts") cast_operations<T>(put, x);
OXIDE_NUMBERS_END;

}  // namespace

TEMPLATE_TEST_CASE("every cast gives the nearest number, or the integer that the rules say", "", std::int8_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, int128, uint128, float, double, ox::half, ox::bfloat16, ox::e4m3, ox::e5m2) {
  check<TestType>(cast_kernel<TestType>, false, cast_model<TestType>);
}
