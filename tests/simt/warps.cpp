// Operations of a warp, against a model of 32 lanes by the PTX manual; in blocks whose last warp is not full, and where lanes part.
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"

namespace {

// The lanes of a thread's warp that the block has.
std::uint32_t lanes_of(std::size_t thread, std::size_t threads) {
  const std::size_t first = thread / 32 * 32, count = std::min<std::size_t>(32, threads - first);
  return count == 32 ? 0xffffffffu : (1u << count) - 1;
}

enum class Mode { index, up, down, exclusive_or };

// PTX ISA, "shfl.sync". Where a lane does not take part, PTX says nothing, and the model neither.
template <class T>
bool right(T got, const std::vector<T>& values, std::size_t thread, Mode mode, std::uint32_t b, std::uint32_t width) {
  const auto lane = static_cast<std::uint32_t>(thread % 32);
  const std::uint32_t first = lane & ~(width - 1), last = first | (width - 1);
  b %= 32;
  std::int64_t from = lane;
  bool inside = true;
  if (mode == Mode::index) from = first | (b & (width - 1));
  if (mode == Mode::up) from = std::int64_t{lane} - b, inside = from >= first;
  if (mode == Mode::down) from = std::int64_t{lane} + b, inside = from <= last;
  if (mode == Mode::exclusive_or) from = lane ^ b, inside = from <= last;
  if (!inside) from = lane;
  if ((lanes_of(thread, values.size()) >> from & 1) == 0) return true;
  return got == values[thread / 32 * 32 + static_cast<std::size_t>(from)];
}

template <class T>
inline constexpr auto shuffles = ox::kernel("shuffles", [](ox::Span<const T> in, ox::Span<const unsigned> lanes, ox::Span<T> out) {
  const ox::u32 t = ox::thread_idx.x();
  ox::u32 lane = lanes[t];
  const ox::detail::ValueFor<T> x = in[t];
  out.unchecked_mut(8u * t) = ox::warp::shfl(x, lane);
  out.unchecked_mut(8u * t + 1u) = ox::warp::shfl(x, lane, 8);
  out.unchecked_mut(8u * t + 2u) = ox::warp::shfl_up(x, lane);
  out.unchecked_mut(8u * t + 3u) = ox::warp::shfl_up(x, 3, 16);
  out.unchecked_mut(8u * t + 4u) = ox::warp::shfl_down(x, lane);
  out.unchecked_mut(8u * t + 5u) = ox::warp::shfl_down(x, 1, 2);
  out.unchecked_mut(8u * t + 6u) = ox::warp::shfl_xor(x, lane);
  out.unchecked_mut(8u * t + 7u) = ox::warp::shfl_xor(x, 5, 4);
});

template <class T>
void check_shuffles(const ox::Stream& stream, T low, T high) {
  for (const std::uint32_t threads : {32u, 7u, 100u}) {
    const std::vector<T> in = random_numbers<T>(threads, low, high, threads);
    const std::vector<unsigned> lanes = random_numbers<unsigned>(threads, 0, 40, threads + 1);
    const auto a = ox::DeviceBuffer<T>::from_host(stream, in);
    const auto b = ox::DeviceBuffer<unsigned>::from_host(stream, lanes);
    auto c = ox::DeviceBuffer<T>::zeroed(stream, 8 * threads);
    shuffles<T>(stream, ox::LaunchConfig{.grid = 1, .block = threads}, a, b, c);
    const std::vector<T> out = c.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t t = 0; t != threads; ++t) {
      struct Case {
        Mode mode;
        std::uint32_t b, width;
      } cases[] = {{Mode::index, lanes[t], 32}, {Mode::index, lanes[t], 8}, {Mode::up, lanes[t], 32},           {Mode::up, 3, 16},
                   {Mode::down, lanes[t], 32},  {Mode::down, 1, 2},         {Mode::exclusive_or, lanes[t], 32}, {Mode::exclusive_or, 5, 4}};
      for (std::size_t k = 0; k != 8; ++k) wrong += !right(out[8 * t + k], in, t, cases[k].mode, cases[k].b, cases[k].width);
    }
    INFO("block " << threads << ", " << sizeof(T) << " bytes");
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("shuffles of all kinds, of values of 1 to 8 bytes") {
  on_every_device([](const ox::Stream& stream) {
    check_shuffles<std::int8_t>(stream, -128, 127);
    check_shuffles<float>(stream, -1e6f, 1e6f);
    check_shuffles<std::uint64_t>(stream, 0, ~std::uint64_t{0});
    check_shuffles<double>(stream, -1, 1);
  });
}

namespace {

constexpr auto votes = ox::kernel("votes", [](ox::Span<const unsigned> in, ox::Span<unsigned> out) {
  const ox::u32 t = ox::thread_idx.x();
  ox::u32 x = in[t];
  ox::u64 wide = ox::u64(x % 3u) << 40;
  ox::u32 flags = 0;
  if (ox::warp::all(x < 50)) flags |= 1u;
  if (ox::warp::any(x == 7)) flags |= 2u;
  const ox::u32 place = 16u * t;
  out.unchecked_mut(place) = flags;
  out.unchecked_mut(place + 1u) = ox::warp::ballot(x % 2 == 0);
  out.unchecked_mut(place + 2u) = ox::warp::match_any(x % 5);
  out.unchecked_mut(place + 3u) = ox::warp::match_any(wide);
  out.unchecked_mut(place + 4u) = ox::warp::match_all(x);
  out.unchecked_mut(place + 5u) = ox::warp::match_all(t / 32);
  out.unchecked_mut(place + 6u) = ox::warp::reduce_add(x);
  out.unchecked_mut(place + 7u) = ox::bit_cast<std::uint32_t>(ox::warp::reduce_min(ox::cast<std::int32_t>(x) - 20));
  out.unchecked_mut(place + 8u) = ox::warp::reduce_max(x);
  out.unchecked_mut(place + 9u) = ox::warp::reduce_and(x | 64u) + 256u * ox::warp::reduce_or(x) + 65536u * ox::warp::reduce_xor(x);
  out.unchecked_mut(place + 10u) = ox::warp::lane_id() + 100u * ox::warp::warp_id();
  out.unchecked_mut(place + 11u) = ox::warp::lanemask_le() + 3u * ox::warp::lanemask_gt() + 5u * ox::warp::lanemask_lt() +
                                   7u * ox::warp::lanemask_ge() + 11u * ox::warp::lanemask_eq();
  // Where lanes part, each side with the lanes that are on it; and by tiles of 8.
  ox::u32 sum = 0;
  if (x % 2 == 0) sum = ox::warp::reduce_add(x, ox::warp::active_mask());
  else sum = 1000u + ox::warp::reduce_add(ox::u32(1), ox::warp::active_mask());
  ox::sync_warp();
  out.unchecked_mut(place + 12u) = sum;
  const ox::u32 tile = ox::u32(0xff) << (ox::warp::lane_id() & ~7u);
  out.unchecked_mut(place + 13u) = ox::warp::reduce_max(x, tile);
  if (ox::warp::elect()) out.unchecked_mut(place + 14u) = 1u;
  // Lanes leave a loop at different times; those that are left vote.
  ox::u32 rounds = 0;
  for (ox::u32 left = x % 4; left > 0; left -= 1u) rounds += ox::warp::ballot(true, ox::warp::active_mask());
  out.unchecked_mut(place + 15u) = rounds;
});

}  // namespace

TEST_CASE("votes, matches, reductions and masks, in full and partial warps and where lanes part") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t threads : {32u, 64u, 5u, 77u}) {
      INFO("block " << threads);
      const std::vector<unsigned> in = random_numbers<unsigned>(threads, 0, 60, threads);
      const auto a = ox::DeviceBuffer<unsigned>::from_host(stream, in);
      auto b = ox::DeviceBuffer<unsigned>::zeroed(stream, 16 * threads);
      votes(stream, ox::LaunchConfig{.grid = 1, .block = threads}, a, b);
      const std::vector<unsigned> out = b.to_host(stream);
      for (std::size_t t = 0; t != threads; ++t) {
        const std::size_t first = t / 32 * 32, end = std::min<std::size_t>(threads, first + 32);
        const auto lane = static_cast<unsigned>(t % 32);
        unsigned flags = 1, even = 0, same5 = 0, same3 = 0, all_same = lanes_of(t, threads), sum = 0, most = 0, with = ~0u, some = 0,
                 odd = 0;
        unsigned side = 0, tile = 0, rounds = 0;
        int least = 1 << 30;
        for (std::size_t o = first; o != end; ++o) {
          const unsigned x = in[o], bit = 1u << (o - first);
          if (x >= 50) flags &= ~1u;
          if (x == 7) flags |= 2;
          if (x % 2 == 0) even |= bit;
          if (x % 5 == in[t] % 5) same5 |= bit;
          if (x % 3 == in[t] % 3) same3 |= bit;
          if (x != in[t]) all_same = 0;
          sum += x, most = std::max(most, x), with &= x | 64, some |= x, odd ^= x;
          least = std::min(least, static_cast<int>(x) - 20);
          if (x % 2 == in[t] % 2) side += x % 2 == 0 ? x : 1;
          if ((o - first) / 8 == lane / 8) tile = std::max(tile, x);
        }
        for (unsigned k = 0; k != in[t] % 4; ++k)  // in its k-th round, with those that have one
          for (std::size_t o = first; o != end; ++o)
            if (in[o] % 4 > k) rounds += 1u << (o - first);
        const unsigned le = lane == 31 ? ~0u : (2u << lane) - 1, lt = (1u << lane) - 1;
        const unsigned expected[] = {flags,
                                     even,
                                     same5,
                                     same3,
                                     all_same,
                                     lanes_of(t, threads),
                                     sum,
                                     static_cast<unsigned>(least),
                                     most,
                                     with + 256 * some + 65536 * odd,
                                     lane + 100 * static_cast<unsigned>(t / 32),
                                     le + 3 * ~le + 5 * lt + 7 * ~lt + 11 * (1u << lane),
                                     in[t] % 2 == 0 ? side : 1000 + side,
                                     tile,
                                     lane == 0 ? 1u : 0u};
        INFO("thread " << t);
        for (std::size_t k = 0; k != 15; ++k) CHECK(out[16 * t + k] == expected[k]);
        // Which lanes are together in a loop is the machine's choice on a GPU; on the CPU they are as together as they can be.
        if (stream.device_id() == 0) CHECK(out[16 * t + 15] == rounds);
      }
    }
  });
}
