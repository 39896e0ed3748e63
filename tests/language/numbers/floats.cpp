// Every operation on floating types, and those with a rounding mode, against GNU MPFR.
#include "float_operations.hpp"

namespace {

using namespace numbers;

template <class T>
inline constexpr auto float_kernel = OXIDE_NUMBERS_KERNEL("float_operations") float_operations_of_two<T>(put, x, y);
other_float_operations<T>(put, x, y, z);
OXIDE_NUMBERS_END.strict_fp();

template <class T>
inline constexpr auto rounding_kernel = OXIDE_NUMBERS_KERNEL("rounding_modes") rounded_operations<T>(put, x, y, z);
OXIDE_NUMBERS_END;

}  // namespace

TEMPLATE_TEST_CASE("every operation on floating types is rounded once", "", ox::half, ox::bfloat16, float, double) {
  check<TestType>(float_kernel<TestType>, false, float_model<TestType>);
}

TEMPLATE_TEST_CASE("rounding modes round as they say", "", ox::half, ox::bfloat16, float, double) {
  check<TestType>(rounding_kernel<TestType>, false, rounding_model<TestType>);
}
