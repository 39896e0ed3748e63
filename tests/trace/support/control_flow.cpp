#include "control_flow.hpp"

#include <cstring>
#include <memory>
#include <string>

#include <oxide/runtime/program.hpp>
#include <oxide/trace/to_graph.hpp>

#include "graph_runs.hpp"

namespace control_flow {
namespace {

using ox::ir::Opcode;
using ox::ir::Type;
using ox::trace::Handle;

constexpr std::size_t threads = 512;  // inputs that one launch tries
constexpr std::uint32_t x_memory = 0, y_memory = 1, n_memory = 2, window_memory = 3;

// An array of numbers of one type.
class Numbers {
 public:
  Numbers(Type type, std::size_t count) : type_(type), bytes_(count * ox::ir::size_of(type)) {}
  unsigned char* at(std::size_t i) { return bytes_.data() + i * ox::ir::size_of(type_); }
  const unsigned char* at(std::size_t i) const { return bytes_.data() + i * ox::ir::size_of(type_); }
  std::vector<unsigned char>& bytes() { return bytes_; }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  Type type() const { return type_; }

  // A whole number; halves of it on floats, so that there are fractions.
  void set(std::size_t i, std::int64_t value) {
    switch (type_) {
      case Type::i64:
        put<std::int64_t>(i, value);
        break;
      case Type::i32:
        put<std::int32_t>(i, value);
        break;
      case Type::u32:
        put<std::uint32_t>(i, value < 0 ? -value : value);
        break;
      case Type::f32:
        put<float>(i, static_cast<double>(value) / 2);
        break;
      case Type::f64:
        put<double>(i, static_cast<double>(value) / 2);
        break;
      default:
        FAIL("control flow kernels over " << ox::ir::name_of(type_) << " need a line here");
    }
  }
  std::string text(std::size_t i) const {
    switch (type_) {
      case Type::i64:
        return std::to_string(get<std::int64_t>(i));
      case Type::i32:
        return std::to_string(get<std::int32_t>(i));
      case Type::u32:
        return std::to_string(get<std::uint32_t>(i));
      case Type::f32:
        return std::to_string(get<float>(i));
      default:
        return std::to_string(get<double>(i));
    }
  }

 private:
  template <class T, class V>
  void put(std::size_t i, V value) {
    const T number = static_cast<T>(value);
    std::memcpy(at(i), &number, sizeof number);
  }
  template <class T>
  T get(std::size_t i) const {
    T number;
    std::memcpy(&number, at(i), sizeof number);
    return number;
  }
  Type type_;
  std::vector<unsigned char> bytes_;
};

struct Inputs {
  Numbers x, y, n, memory;

  explicit Inputs(const Case& kernel)
      : x(kernel.number, threads), y(kernel.number, threads), n(kernel.count, threads), memory(kernel.number, threads * window_size) {
    std::uint32_t seed = 1;
    for (const char* c = kernel.name; *c != '\0'; ++c) seed = seed * 31 + static_cast<unsigned char>(*c);
    std::mt19937 random(seed);
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low));
    };
    for (std::size_t t = 0; t < threads; ++t) {
      x.set(t, between(-6, 18));
      y.set(t, between(-6, 18));
      n.set(t, between(0, 9));
      for (std::size_t k = 0; k < window_size; ++k) memory.set(t * window_size + k, between(-5, 15));
    }
  }
};

ox::Counted<const ox::ir::Graph> trace(const Case& kernel) {
  auto lambda = [&kernel] {
    const ox::detail::Where nowhere{};
    const Handle thread = ox::thread::index_1d(nowhere).handle();
    const auto input = [&](std::uint32_t memory, Type type) { return ox::detail::emit(Opcode::load, type, thread, memory, nowhere); };
    const Handle size = ox::detail::constant(Type::u64, window_size, nowhere);
    const Handle first = ox::detail::emit(Opcode::mul, Type::u64, thread, size, 0, nowhere);
    const Handle x = input(x_memory, kernel.number), y = input(y_memory, kernel.number), n = input(n_memory, kernel.count);
    kernel.traced(x, y, n, window_memory, first);
  };
  const auto describe = [&kernel](ox::ir::Graph& graph) {
    using ox::ir::Access, ox::ir::MemoryKind, ox::ir::ParameterKind;
    const Type types[] = {kernel.number, kernel.number, kernel.count, kernel.number};
    for (std::uint32_t k = 0; k < 4; ++k) {
      graph.parameters.push_back({ParameterKind::span, types[k]});
      graph.memories.push_back({MemoryKind::span, types[k], k == window_memory ? Access::write : Access::read, k});
    }
    graph.fp_mode = ox::ir::FpMode::strict;  // as the host's compiler was told
  };
  return ox::make_counted<const ox::ir::Graph>(ox::trace::trace(kernel.name, lambda, describe));
}

// Says which thread's memory differs first, and where.
void compare(const Inputs& inputs, const Numbers& wanted, const Numbers& given, const std::string& by) {
  INFO("by " << by);
  if (wanted.bytes() == given.bytes()) {
    CHECK(true);
    return;
  }
  std::size_t wrong = 0, first = wanted.bytes().size();
  const std::size_t size = ox::ir::size_of(wanted.type());
  for (std::size_t k = 0; k < threads * window_size; ++k) {
    if (std::memcmp(wanted.at(k), given.at(k), size) == 0) continue;
    if (wrong++ == 0) first = k;
  }
  const std::size_t t = first / window_size;
  FAIL_CHECK(wrong << " elements differ; first m[" << first % window_size << "] of x = " << inputs.x.text(t) << ", y = " << inputs.y.text(t)
                   << ", n = " << inputs.n.text(t) << ": wanted " << wanted.text(first) << ", got " << given.text(first));
}

}  // namespace

void check(const Case& kernel) {
  INFO("kernel " << kernel.name);
  const Inputs inputs(kernel);
  Numbers wanted = inputs.memory;
  for (std::size_t t = 0; t < threads; ++t) kernel.native(inputs.x.at(t), inputs.y.at(t), inputs.n.at(t), wanted.at(t * window_size));
  REQUIRE(wanted.bytes() != inputs.memory.bytes());  // a kernel that does nothing tests nothing

  const ox::Counted<const ox::ir::Graph> graph = trace(kernel);
  const auto run = [&](const graph_runs::Runner& runner) {
    Numbers x = inputs.x, y = inputs.y, n = inputs.n, memory = inputs.memory;
    runner.run(graph, threads, {{x.type(), &x.bytes()}, {y.type(), &y.bytes()}, {n.type(), &n.bytes()}, {memory.type(), &memory.bytes()}});
    compare(inputs, wanted, memory, runner.name());
  };
  for (const auto& runner : graph_runs::all()) run(*runner);
}

}  // namespace control_flow
