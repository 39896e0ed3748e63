// Every operation on numbers, on vectors: the kernels are those of numbers, given vectors, and so are the models, asked for each place.
#pragma once

#include "check.hpp"

namespace numbers {

// Operations of numbers that a kernel does on vectors: run<T>(put, x, y, z), and the model of what a place gives.
template <class T, std::size_t n, class Operations>
inline constexpr auto vector_kernel =
    ox::kernel("vectors", [](ox::Span<const ox::Vector<T, n>> a, ox::Span<const T> b, ox::Span<const T> c, ox::Span<uint128> out) {
      using V = ox::Vector<T, n>;
      const auto thread = ox::thread::index_1d();
      const ox::u64 i = thread, threads = a.size();
      if (i >= threads) return;
      const ox::Value<V> x = a[i];
      ox::Value<V> y, z;
      if constexpr (n == 3) y = ox::Value<V>(b[3 * i], b[3 * i + 1], b[3 * i + 2]);
      else y = b.template as_vectors<n>()[i];
      for (std::size_t k = 0; k != n; ++k) z[k] = c[i * n + k];
      Results<n> put(out, i, threads);
      Operations::template run<T>(put, x, y, z);
    }).strict_fp();

// `model(x, y, z, first)`: what a place gives, `first` being y's place 0. On the CPU at these levels; GPUs get what level 3 makes, and of
// vectors of four also what level 0 makes.
template <class T, std::size_t n, class Operations>
void check_vectors(bool nonzero_divisor, std::initializer_list<unsigned> levels) {
  Outcome outcome;
  outcome.places = n;
  const std::size_t numbers = n == 3 ? 192 : 256;
  const auto in = random_operands<T>(numbers, nonzero_divisor);
  for (std::size_t i = 0; i != numbers; ++i) {
    const uint128 x = bits_of(in[0][i]), y = bits_of(in[1][i]), z = bits_of(in[2][i]), first = bits_of(in[1][i - i % n]);
    outcome.operands.push_back({x, y, z});
    outcome.expected.push_back(Operations::template model<T>(x, y, z, first));
  }
  std::vector<ox::Vector<T, n>> vectors(numbers / n);
  std::memcpy(static_cast<void*>(vectors.data()), in[0].data(), numbers * sizeof(T));
  const auto graph = vector_kernel<T, n, Operations>.graph();
  on_every_device([&](const ox::Stream& stream) {
    const auto at = [&](unsigned level) {
      const auto a = ox::DeviceBuffer<ox::Vector<T, n>>::from_host(stream, vectors);
      const auto b = ox::DeviceBuffer<T>::from_host(stream, in[1]), c = ox::DeviceBuffer<T>::from_host(stream, in[2]);
      check_outcome(stream, level, graph, oxide::ir::type_for<T>(), {a.argument(), b.argument(), c.argument()}, outcome);
    };
    if (stream.device_id() == 0 && !is_collecting()) {
      for (const unsigned level : levels) at(level);
    } else {
      at(3);
      if (n == 4 && !is_collecting()) at(0);
    }
  });
}

// All lengths; four places at every level. How many there are does not change what a place gives: the others are at one or two of them.
template <class T, class Operations>
void check_vectors_of(bool nonzero_divisor) {
  check_vectors<T, 2, Operations>(nonzero_divisor, {1, 0});
  if (is_collecting()) return;
  if constexpr (sizeof(T) <= 8) {
    check_vectors<T, 3, Operations>(nonzero_divisor, {2, 0});
    check_vectors<T, 4, Operations>(nonzero_divisor, {3, 2, 1, 0});
    check_vectors<T, 8, Operations>(nonzero_divisor, {3, 0});
    check_vectors<T, 16, Operations>(nonzero_divisor, {0});
  }
}
// Of what becomes, in each place, an operation that is checked at every level elsewhere.
template <class T, class Operations>
void check_vectors_briefly(bool nonzero_divisor) {
  if (is_collecting()) return;
  check_vectors<T, 2, Operations>(nonzero_divisor, {0});
  if constexpr (sizeof(T) <= 8) {
    check_vectors<T, 3, Operations>(nonzero_divisor, {3, 0});
    check_vectors<T, 4, Operations>(nonzero_divisor, {0});
    check_vectors<T, 8, Operations>(nonzero_divisor, {0});
    check_vectors<T, 16, Operations>(nonzero_divisor, {0});
  }
}

inline std::vector<Expected> together(std::vector<Expected> a, const std::vector<Expected>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace numbers
