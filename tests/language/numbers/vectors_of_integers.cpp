// Every operation on vectors of integers, and of vectors with numbers.
#include "cast_operations.hpp"
#include "integer_operations.hpp"
#include "vectors.hpp"

namespace {

using namespace numbers;

struct OfTwo {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto&) {
    integer_operations_of_two<T>(put, x, y);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return up_to("negation", integer_model<T>(x, y, z));
  }
};

struct Others {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto& z) {
    other_integer_operations<T>(put, x, y, z);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return from("negation", up_to("sum", integer_model<T>(x, y, z)));
  }
};

struct Casts {
  template <class T>
  static void run(auto& put, const auto& x, const auto&, const auto&) {
    cast_operations<T>(put, x);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return cast_model<T>(x, y, z);
  }
};

// A vector and a number, a number and a vector.
struct WithNumbers {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto& z) {
    const ox::Value<T> first = y[0];
    integer_operations_of_two<T>(put, x, first);
    integer_operations_of_two<T>(put, first, z);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128, uint128 z, uint128 first) {
    return together(up_to("negation", integer_model<T>(x, first, z)), up_to("negation", integer_model<T>(first, z, x)));
  }
};

}  // namespace

TEMPLATE_TEST_CASE("every operation on vectors of integers is the one on numbers, in each place", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, int128, uint128) {
  check_vectors_of<TestType, OfTwo>(true);
  check_vectors_briefly<TestType, WithNumbers>(true);
  check_vectors_of<TestType, Others>(true);
  check_vectors_briefly<TestType, Casts>(true);
}
