// A kernel in a header, as a library would have it; used by two files of one test.
#pragma once

#include "devices.hpp"

namespace shared {

inline constexpr auto add_one = ox::kernel("add_one", [](ox::DisjointSpan<int> data) {
  const auto i = ox::thread::index_1d();
  if (auto e = data.get_mut(i)) *e += 1;
});

}  // namespace shared

// From the other file.
const void* address_of_shared_kernel();
void launch_shared_kernel(const ox::Stream& stream, ox::DeviceBuffer<int>& data);
const void* program_of_shared_kernel(const ox::Stream& stream);
