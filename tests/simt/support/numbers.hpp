// Random numbers for tests: the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

template <class T>
std::vector<T> random_numbers(std::size_t n, T low, T high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  if constexpr (std::is_floating_point_v<T>) {
    std::uniform_real_distribution<T> numbers(low, high);
    for (T& x : out) x = numbers(random);
  } else {
    const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    for (T& x : out) x = static_cast<T>(static_cast<std::uint64_t>(low) + (range == 0 ? random() : random() % range));
  }
  return out;
}
