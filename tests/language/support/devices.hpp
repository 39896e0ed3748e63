// Runs a check on every device of the machine; the CPU is always one.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <oxide/oxide.hpp>

namespace ox = oxide;

template <class Check>
void on_every_device(Check check) {
  for (const ox::Device& device : ox::Device::all()) {
    INFO("on " << device.name());
    check(device.default_stream());
  }
}

inline ox::Device device_of(const ox::Stream& stream) {
  return stream.device_id() == 0 ? ox::Device::cpu() : ox::Device::gpu(stream.device_id() - 1);
}

// std::vector<bool> has no elements; host results are compared as these.
template <class T>
using HostElement = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

// out[i] = f(a[i], b[i]), of a lambda without captures.
template <class F, class T, class R>
inline constexpr auto map2 = ox::kernel("map2", [](F f, ox::Span<const T> a, ox::Span<const T> b, ox::DisjointSpan<R> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = f(a[i], b[i]);
});

template <class T, class R, class F>
std::vector<R> run2(const ox::Stream& stream, F f, const std::vector<T>& a, const std::vector<T>& b) {
  const auto da = ox::DeviceBuffer<T>::from_host(stream, a), db = ox::DeviceBuffer<T>::from_host(stream, b);
  auto out = ox::DeviceBuffer<R>::zeroed(stream, a.size());
  map2<F, T, R>(stream, ox::LaunchConfig::for_num_elems(a.size()), f, da, db, out);
  return out.to_host(stream);
}

// One thread runs a kernel that takes nothing but its output.
template <class R, class K>
std::vector<R> run_alone(const ox::Stream& stream, const K& kernel, std::size_t outputs) {
  auto out = ox::DeviceBuffer<R>::zeroed(stream, outputs);
  kernel(stream, ox::LaunchConfig{1, 1}, out);
  return out.to_host(stream);
}
