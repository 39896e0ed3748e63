// ox::device::Reduce, Scan and RadixSort, against the host: sizes around a tile, and of several tiles.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <oxide/algorithm/radix_sort.hpp>
#include <oxide/algorithm/reduce.hpp>
#include <oxide/algorithm/scan.hpp>

#include "language/support/devices.hpp"
#include "simt/support/composition.hpp"
#include "simt/support/numbers.hpp"

namespace {

using Words = std::vector<std::uint32_t>;

template <class T, ox::device::RadixSortTuning tuning = ox::device::RadixSortTuning{}>
void check_sort(const ox::Stream& stream, T low, T high) {
  constexpr std::size_t tile = std::size_t{tuning.threads} * tuning.items, most = 5 * tile + 77;
  ox::device::RadixSort<T, tuning> sort(stream, most);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, tile - 1, tile, tile + 1, most}) {
    INFO(n << " keys");
    std::vector<T> keys = random_numbers<T>(n, low, high, n);
    auto buffer = ox::DeviceBuffer<T>::from_host(stream, keys);
    sort(stream, buffer);
    std::sort(keys.begin(), keys.end());
    REQUIRE(buffer.to_host(stream) == keys);
  }
}

template <class E, class Do>
std::string error_of(Do act) {
  try {
    act();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("buffers are sorted by their keys") {
  using enum ox::device::DigitMatch;
  on_every_device([](const ox::Stream& stream) {
    check_sort<std::uint32_t>(stream, 0, 0xffffffff);
    check_sort<std::uint32_t>(stream, 0xfffffffe, 0xffffffff);  // as what stands for missing keys
    check_sort<std::int32_t, ox::device::RadixSortTuning{256, 8, match_any, 0}>(stream, -1000, 1000);
    check_sort<float, ox::device::RadixSortTuning{512, 4, ballots, 0}>(stream, -1e20f, 1e20f);

    ox::device::RadixSort<std::uint32_t> sort(stream, 10);
    auto eleven = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 11);
    CHECK(error_of<ox::Error>([&] { sort(stream, eleven); }) == "ox::device::RadixSort was made for 10 keys; it is to sort 11");
    CHECK(error_of<ox::Error>([&] { ox::device::RadixSort<float>(stream, std::size_t{1} << 30); }) ==
          "ox::device::RadixSort sorts fewer than 2^30 keys; asked for 1073741824");
  });
}

TEST_CASE("buffers are scanned from left to right") {
  on_every_device([](const ox::Stream& stream) {
    constexpr std::size_t tile = 4096, most = 50 * tile + 3;  // more tiles than a warp looks back at once
    ox::device::Scan scan(stream, most, 1u, composed);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, most}) {
      INFO(n << " elements");
      const Words in = random_numbers<std::uint32_t>(n, 0, 0xffffffff, n);
      Words inclusive(n), exclusive(n);
      std::inclusive_scan(in.begin(), in.end(), inclusive.begin(), compose);
      std::exclusive_scan(in.begin(), in.end(), exclusive.begin(), 1u, compose);
      const auto buffer = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
      scan.inclusive(stream, buffer, out);
      REQUIRE(out.to_host(stream) == inclusive);
      scan.exclusive(stream, buffer, out);
      REQUIRE(out.to_host(stream) == exclusive);
    }
    const auto two = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 2);
    auto one = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 1);
    CHECK(error_of<ox::Error>([&] { scan.inclusive(stream, two, one); }) ==
          "ox::device::Scan was made for 204803 elements; it is to scan 2 to 1");
  });
}

TEST_CASE("buffers are reduced to one element") {
  on_every_device([](const ox::Stream& stream) {
    ox::device::Reduce sum(stream, 0u, [](ox::u32 a, ox::u32 b) { return a + b; });
    ox::device::Reduce most(stream, -1e300, [](ox::f64 a, ox::f64 b) { return ox::max(a, b); });
    auto total = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 1);
    auto greatest = ox::DeviceBuffer<double>::zeroed(stream, 1);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4097}, std::size_t{300001}}) {
      INFO(n << " elements");
      const Words in = random_numbers<std::uint32_t>(n, 0, 0xffffffff, n);
      const auto words = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
      sum(stream, words, total);
      CHECK(total.to_host(stream)[0] == std::accumulate(in.begin(), in.end(), 0u));
      const std::vector<double> numbers = random_numbers<double>(n, -5, 5, n);
      const auto doubles = ox::DeviceBuffer<double>::from_host(stream, numbers);
      most(stream, doubles, greatest);
      CHECK(greatest.to_host(stream)[0] == (n == 0 ? -1e300 : *std::max_element(numbers.begin(), numbers.end())));
    }
    ox::DeviceBuffer<std::uint32_t> empty;
    CHECK(error_of<ox::Error>([&] { sum(stream, total, empty); }) ==
          "ox::device::Reduce writes one element, and the buffer for it is empty");
  });
}
