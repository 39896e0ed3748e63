// Runs graphs on the host, one thread after another: the model that compiled code is compared with. It follows the number rules to
// the letter and knows nothing of LLVM.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/type.hpp>

namespace oxide::testing {

// The bits of any number, zero-extended.
using Word = uint128;
struct Shape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
};

// Of a value parameter: its bits. Of a span: where it is and how many elements it has.
struct Argument {
  Word bits = 0;
  void* data = nullptr;
  std::uint64_t length = 0;
};

template <class T>
Argument value_argument(T value) {
  Argument a;
  std::memcpy(&a.bits, &value, sizeof value);
  return a;
}
template <class T>
Argument span_argument(std::vector<T>& values) {
  return {0, values.data(), values.size()};
}

// The first failed check, in the order of threads.
struct Fault {
  bool happened = false;
  std::uint32_t site = 0;
  std::array<std::uint64_t, 2> values{};
  std::array<std::uint32_t, 3> block{}, thread{};
  friend bool operator==(const Fault&, const Fault&) = default;
};

class Translation;

class Interpreter {
 public:
  // `fuses`: whether the machine that is modelled has a fused multiply-add, and so contracts unless the graph says strict.
  explicit Interpreter(const ir::Graph& graph, bool fuses = true);
  ~Interpreter();

  // Throws std::runtime_error when more than `step_limit` operations run, or memory is accessed out of range with no check before.
  Fault run(const Shape& shape, const std::vector<Argument>& arguments, std::uint64_t step_limit = std::uint64_t{1} << 32);

  std::string output;  // what the last run printed

 private:
  std::unique_ptr<const Translation> translation_;
};

}  // namespace oxide::testing
