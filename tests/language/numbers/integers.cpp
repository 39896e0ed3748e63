// Every operation on integers of every width, against wide integers.
#include "integer_operations.hpp"

namespace {

using namespace numbers;

template <class T>
inline constexpr auto integer_kernel = OXIDE_NUMBERS_KERNEL("integer_operations") integer_operations_of_two<T>(put, x, y);
other_integer_operations<T>(put, x, y, z);
OXIDE_NUMBERS_END;

}  // namespace

TEMPLATE_TEST_CASE("every operation on integers follows its rule", "", std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, int128, uint128) {
  check<TestType>(integer_kernel<TestType>, true, integer_model<TestType>);
}
