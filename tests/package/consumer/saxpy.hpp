// A kernel that several files of a program share.
#pragma once

#include <oxide/oxide.hpp>

namespace ox = oxide;

inline constexpr auto saxpy = ox::kernel("saxpy", [](ox::f32 scale, ox::Span<const float> x, ox::DisjointSpan<float> y) {
  auto idx = ox::thread::index_1d();
  if (auto y_elem = y.get_mut(idx)) *y_elem = scale * x[idx] + *y_elem;
});

void launch_elsewhere(const ox::Stream& stream, float scale, const ox::DeviceBuffer<float>& x, ox::DeviceBuffer<float>& y);
