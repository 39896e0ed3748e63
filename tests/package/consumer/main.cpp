// A program of someone else, of two files: it has oxide's headers, and finds the compiler library at run time.
#include <cstdio>
#include <vector>

#include "saxpy.hpp"

int main() {
  constexpr std::size_t n = 1000;
  std::vector<float> x_host(n), y_host(n, 1.0f);
  for (std::size_t i = 0; i < n; ++i) x_host[i] = static_cast<float>(i);

  ox::Device device = ox::Device::best();
  ox::Stream stream = device.default_stream();
  auto x = ox::DeviceBuffer<float>::from_host(stream, x_host);
  auto y = ox::DeviceBuffer<float>::from_host(stream, y_host);
  saxpy(stream, ox::LaunchConfig::for_num_elems(n), 2.0f, x, y);
  launch_elsewhere(stream, 3.0f, x, y);
  const std::vector<float> result = y.to_host(stream);
  for (std::size_t i = 0; i < n; ++i) {
    if (result[i] != 5.0f * x_host[i] + 1.0f) {
      std::printf("element %zu is %g\n", i, static_cast<double>(result[i]));
      return 1;
    }
  }
  std::printf("saxpy is right\n");
}
