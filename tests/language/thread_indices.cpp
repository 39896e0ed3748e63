// Where a thread is, in one and two dimensions.
#include <cstdint>
#include <string>

#include "support/devices.hpp"

TEST_CASE("coordinates are CUDA's") {
  constexpr auto k = ox::kernel("k", [](ox::Span<std::uint32_t> out) {
    const ox::u32 bx = ox::block_idx.x(), by = ox::block_idx.y(), bz = ox::block_idx.z();
    const ox::u32 tx = ox::thread_idx.x(), ty = ox::thread_idx.y(), tz = ox::thread_idx.z();
    const ox::u32 block = bx + ox::grid_dim.x() * (by + ox::grid_dim.y() * bz);
    const ox::u32 thread = tx + ox::block_dim.x() * (ty + ox::block_dim.y() * tz);
    const ox::u32 at = block * (ox::block_dim.x() * ox::block_dim.y() * ox::block_dim.z()) + thread;
    out.unchecked_mut(at) = at * 1000000 + bx * 100000 + by * 10000 + bz * 1000 + tx * 100 + ty * 10 + tz;
    if (at == 0) out.unchecked_mut(360) = ox::grid_dim.z();
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 361);
    k(stream, ox::LaunchConfig{.grid = {3, 2, 2}, .block = {5, 3, 2}}, out);
    const auto got = out.to_host(stream);
    std::uint32_t at = 0;
    for (std::uint32_t bz = 0; bz < 2; ++bz)
      for (std::uint32_t by = 0; by < 2; ++by)
        for (std::uint32_t bx = 0; bx < 3; ++bx)
          for (std::uint32_t tz = 0; tz < 2; ++tz)
            for (std::uint32_t ty = 0; ty < 3; ++ty)
              for (std::uint32_t tx = 0; tx < 5; ++tx, ++at)
                REQUIRE(got[at] == at * 1000000 + bx * 100000 + by * 10000 + bz * 1000 + tx * 100 + ty * 10 + tz);
    CHECK(got[360] == 2);
  });
}

TEST_CASE("a 1-D index numbers the threads of a 1-D launch") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<std::uint64_t> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = i * 3 + i.value();
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 1000);
    k(stream, ox::LaunchConfig{8, 128}, out);
    const auto got = out.to_host(stream);
    for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == 4 * i);
    CHECK_THROWS_AS(k(stream, ox::LaunchConfig{.grid = {1, 2}, .block = 64}, out), ox::LaunchError);
    CHECK_THROWS_AS(k(stream, ox::LaunchConfig{.grid = 2, .block = {32, 2}}, out), ox::LaunchError);
  });
}

TEST_CASE("a 2-D index gives each element to one thread, whatever the launch's width") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<int, ox::Grid2D<20>> out) {
    const auto i = ox::thread::index_2d<20>();
    if (auto e = out.get_mut(i)) *e = *e + 1 + ox::cast<int>(i.row() * 100 + i.col());
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const ox::LaunchConfig config :
         {ox::LaunchConfig{.grid = {2, 2}, .block = {16, 8}}, ox::LaunchConfig{.grid = {5, 12}, .block = {4, 1}}}) {
      auto out = ox::DeviceBuffer<int>::zeroed(stream, 20 * 10 + 7);  // the last row is not full
      k(stream, config, out);
      const auto got = out.to_host(stream);
      for (int row = 0; row < 11; ++row)
        for (int column = 0; column < 20 && row * 20 + column < 207; ++column) {
          INFO(row << ' ' << column);
          REQUIRE(got[static_cast<std::size_t>(row * 20 + column)] == 1 + row * 100 + column);
        }
    }
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 200);
    CHECK_THROWS_AS(k(stream, ox::LaunchConfig{.grid = {1, 1, 2}, .block = {32, 8}}, out), ox::LaunchError);
  });
}
