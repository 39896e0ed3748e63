// Structs in shared memory, in shuffles, reductions and scans.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"

namespace {

struct Best {
  double value;
  std::int32_t index;
  std::uint8_t tag;
};
OXIDE_STRUCT(Best, value, index, tag)

constexpr auto larger = [](ox::Value<Best> a, ox::Value<Best> b) {
  ox::Value<Best> best = a;
  if (b.value > a.value) best = b;
  return best;
};

constexpr auto structs = ox::kernel("structs", [](ox::Span<const Best> in, ox::Span<Best> out) {
  ox::Shared<Best, 128> tile;
  const ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  ox::Value<Best> x = in[t];
  tile[t] = x;
  ox::sync_threads();
  ox::Value<Best> other = tile[n - 1u - t];
  out.unchecked_mut(4u * t) = other;
  out.unchecked_mut(4u * t + 1u) = ox::warp::shfl(x, 0);
  out.unchecked_mut(4u * t + 2u) = ox::block::reduce(x, larger);
  out.unchecked_mut(4u * t + 3u) = ox::block::inclusive_scan(x, larger);
});

}  // namespace

TEST_CASE("structs in shared memory, shuffles, reductions and scans") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {32u, 100u}) {
      std::vector<Best> in;
      for (const double x : random_numbers<double>(n, -1, 1, n))
        in.push_back({x, static_cast<std::int32_t>(in.size()), static_cast<std::uint8_t>(in.size() * 3)});
      const auto a = ox::DeviceBuffer<Best>::from_host(stream, in);
      auto b = ox::DeviceBuffer<Best>::zeroed(stream, 4 * n);
      structs(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, b);
      const std::vector<Best> out = b.to_host(stream);
      const auto same = [](const Best& x, const Best& y) { return x.value == y.value && x.index == y.index && x.tag == y.tag; };
      const auto less = [](const Best& x, const Best& y) { return x.value < y.value; };
      std::size_t wrong = 0;
      for (std::size_t t = 0; t != n; ++t) {
        wrong += !same(out[4 * t], in[n - 1 - t]) || !same(out[4 * t + 1], in[t / 32 * 32]);
        wrong += !same(out[4 * t + 2], *std::max_element(in.begin(), in.end(), less));
        wrong += !same(out[4 * t + 3], *std::max_element(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(t) + 1, less));
      }
      CHECK(wrong == 0);
    }
  });
}
