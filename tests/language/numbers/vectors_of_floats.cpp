// Every operation on vectors of floating types, and of vectors with numbers.
#include "cast_operations.hpp"
#include "float_operations.hpp"
#include "vectors.hpp"

namespace {

using namespace numbers;

struct OfTwo {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto&) {
    float_operations_of_two<T>(put, x, y);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return up_to("negation", float_model<T>(x, y, z));
  }
};

struct Others {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto& z) {
    other_float_operations<T>(put, x, y, z);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return from("negation", float_model<T>(x, y, z));
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
    float_operations_of_two<T>(put, x, first);
    float_operations_of_two<T>(put, first, z);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128, uint128 z, uint128 first) {
    return together(up_to("negation", float_model<T>(x, first, z)), up_to("negation", float_model<T>(first, z, x)));
  }
};

struct Rounded {
  template <class T>
  static void run(auto& put, const auto& x, const auto& y, const auto& z) {
    rounded_operations<T>(put, x, y, z);
  }
  template <class T>
  static std::vector<Expected> model(uint128 x, uint128 y, uint128 z, uint128) {
    return rounding_model<T>(x, y, z);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("every operation on vectors of floating types is the one on numbers, in each place", "", ox::half, ox::bfloat16, float,
                   double) {
  check_vectors_of<TestType, OfTwo>(false);
  check_vectors_briefly<TestType, WithNumbers>(false);
  check_vectors_of<TestType, Others>(false);
  check_vectors_briefly<TestType, Casts>(false);
}

TEMPLATE_TEST_CASE("rounding modes of vectors are those of numbers, in each place", "", ox::half, ox::bfloat16, float, double) {
  check_vectors<TestType, 4, Rounded>(false, {3, 0});
}
