// Kernels whose tracing is timed. `runs` counts how often a lambda is run: an effect that kernels must not have, but the one that is
// measured here.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include <oxide/oxide.hpp>

namespace oxide::bench {

inline int runs = 0;

// About 300 operations and 20 decisions, in a row.
inline constexpr auto operations_300 = kernel("operations_300", [](Span<const float> a, Span<const float> b, DisjointSpan<float> c) {
  ++runs;
  auto i = thread::index_1d();
  if (auto out = c.get_mut(i)) {
    f32 x = a[i], y = b[i];
    x = x * 1.25f + y * 7.0f - -3.0f;
    y = y * x + -3.0f;
    if (x > -3.0f) {
      y = y - x * 7.0f;
    } else {
      x = x + y * 1.25f;
    }
    x = x * 0.97f + y * 7.8f - -5.7f;
    y = y * x + -5.7f;
    if (x * y < -5.7f + y) y = y * 0.97f + x;
    x = x * 1.30f + y * 7.5f - 3.1f;
    y = y * x + 3.1f;
    if (x > 3.1f) {
      y = y - x * 7.5f;
    } else {
      x = x + y * 1.30f;
    }
    x = x * 1.27f + y * 0.2f - -7.4f;
    y = y * x + -7.4f;
    if (x * y < -7.4f + y) y = y * 1.27f + x;
    x = x * 0.83f + y * 7.1f - 3.0f;
    y = y * x + 3.0f;
    if (x > 3.0f) {
      y = y - x * 7.1f;
    } else {
      x = x + y * 0.83f;
    }
    x = x * 0.74f + y * 6.1f - -3.1f;
    y = y * x + -3.1f;
    if (x * y < -3.1f + y) y = y * 0.74f + x;
    x = x * 1.20f + y * 6.1f - 4.8f;
    y = y * x + 4.8f;
    if (x > 4.8f) {
      y = y - x * 6.1f;
    } else {
      x = x + y * 1.20f;
    }
    x = x * 1.31f + y * 2.0f - 1.1f;
    y = y * x + 1.1f;
    if (x * y < 1.1f + y) y = y * 1.31f + x;
    x = x * 1.31f + y * 2.0f - -3.1f;
    y = y * x + -3.1f;
    if (x > -3.1f) {
      y = y - x * 2.0f;
    } else {
      x = x + y * 1.31f;
    }
    x = x * 0.99f + y * 0.2f - 4.3f;
    y = y * x + 4.3f;
    if (x * y < 4.3f + y) y = y * 0.99f + x;
    x = x * 1.49f + y * 0.9f - 8.1f;
    y = y * x + 8.1f;
    if (x > 8.1f) {
      y = y - x * 0.9f;
    } else {
      x = x + y * 1.49f;
    }
    x = x * 1.47f + y * 7.6f - -5.0f;
    y = y * x + -5.0f;
    if (x * y < -5.0f + y) y = y * 1.47f + x;
    x = x * 0.88f + y * 0.4f - -8.0f;
    y = y * x + -8.0f;
    if (x > -8.0f) {
      y = y - x * 0.4f;
    } else {
      x = x + y * 0.88f;
    }
    x = x * 1.10f + y * 7.7f - -2.2f;
    y = y * x + -2.2f;
    if (x * y < -2.2f + y) y = y * 1.10f + x;
    x = x * 1.41f + y * 5.5f - 0.9f;
    y = y * x + 0.9f;
    if (x > 0.9f) {
      y = y - x * 5.5f;
    } else {
      x = x + y * 1.41f;
    }
    x = x * 1.43f + y * 7.4f - 1.1f;
    y = y * x + 1.1f;
    if (x * y < 1.1f + y) y = y * 1.43f + x;
    x = x * 0.67f + y * 4.7f - 2.3f;
    y = y * x + 2.3f;
    if (x > 2.3f) {
      y = y - x * 4.7f;
    } else {
      x = x + y * 0.67f;
    }
    x = x * 0.54f + y * 1.8f - -6.6f;
    y = y * x + -6.6f;
    if (x * y < -6.6f + y) y = y * 0.54f + x;
    x = x * 0.77f + y * 3.4f - 3.6f;
    y = y * x + 3.6f;
    if (x > 3.6f) {
      y = y - x * 3.4f;
    } else {
      x = x + y * 0.77f;
    }
    x = x * 1.05f + y * 8.1f - 8.2f;
    y = y * x + 8.2f;
    if (x * y < 8.2f + y) y = y * 1.05f + x;
    *out = x + y;
  }
});

// Four loops of the device in each other, as C++ writes them.
inline constexpr auto nested_loops = kernel("nested_loops", [](Span<const float> a, DisjointSpan<float> c, u32 n) {
  ++runs;
  auto idx = thread::index_1d();
  if (auto out = c.get_mut(idx)) {
    f32 sum = 0.0f;
    for (u32 i = 0; i < n; ++i) {
      for (u32 j = 0; j < i; ++j) {
        for (u32 k = 0; k < j; ++k) {
          for (u32 l = 0; l < k; ++l) {
            sum += a[l] * a[k] - a[i + j];
          }
        }
      }
    }
    *out = sum;
  }
});

// The same with counted loops.
inline constexpr auto nested_ranges = kernel("nested_ranges", [](Span<const float> a, DisjointSpan<float> c, u32 n) {
  ++runs;
  auto idx = thread::index_1d();
  if (auto out = c.get_mut(idx)) {
    f32 sum = 0.0f;
    for (auto i : range(n)) {
      for (auto j : range(i)) {
        for (auto k : range(j)) {
          for (auto l : range(k)) {
            sum += a[l] * a[k] - a[i + j];
          }
        }
      }
    }
    *out = sum;
  }
});

// 60 ifs, one after another.
inline constexpr auto sequential_ifs = kernel("sequential_ifs", [](Span<const float> a, Span<const float> b, DisjointSpan<float> c) {
  ++runs;
  auto i = thread::index_1d();
  if (auto out = c.get_mut(i)) {
    f32 x = a[i], y = b[i];
    if (y > -1.3f) x += 5.4f * x;
    if (x > 3.9f) y += 5.0f * x;
    if (y > 5.6f) y += 4.5f * x;
    if (x > 4.6f) x += 7.5f * x;
    if (y > 1.4f) y += 7.5f * x;
    if (x > -3.1f) y += 4.4f * x;
    if (y > 8.4f) x += 0.4f * x;
    if (x > -1.9f) y += 7.8f * x;
    if (y > 8.1f) y += 9.0f * x;
    if (x > -4.9f) x += 9.0f * x;
    if (y > -0.7f) y += 7.0f * x;
    if (x > 5.6f) y += 7.3f * x;
    if (y > -6.4f) x += 8.4f * x;
    if (x > -3.6f) y += 8.2f * x;
    if (y > 5.6f) y += 3.5f * x;
    if (x > -1.8f) x += 1.6f * x;
    if (y > -7.4f) y += 6.2f * x;
    if (x > 7.3f) y += 6.2f * x;
    if (y > -6.8f) x += 4.5f * x;
    if (x > -7.3f) y += 5.3f * x;
    if (y > -5.2f) y += 0.3f * x;
    if (x > -1.5f) x += 5.5f * x;
    if (y > 1.6f) y += 1.6f * x;
    if (x > -7.9f) y += 7.8f * x;
    if (y > 6.7f) x += 0.6f * x;
    if (x > 0.6f) y += 7.6f * x;
    if (y > -0.6f) y += 7.1f * x;
    if (x > -1.9f) x += 6.5f * x;
    if (y > -3.0f) y += 0.5f * x;
    if (x > -1.1f) y += 0.1f * x;
    if (y > -7.1f) x += 1.4f * x;
    if (x > 6.3f) y += 6.9f * x;
    if (y > -8.2f) y += 2.6f * x;
    if (x > 1.4f) x += 3.8f * x;
    if (y > 6.6f) y += 3.4f * x;
    if (x > -5.1f) y += 8.9f * x;
    if (y > -8.0f) x += 4.4f * x;
    if (x > -1.0f) y += 4.7f * x;
    if (y > -5.5f) y += 4.9f * x;
    if (x > 0.6f) x += 5.9f * x;
    if (y > 4.3f) y += 5.0f * x;
    if (x > 7.4f) y += 7.7f * x;
    if (y > 8.4f) x += 7.2f * x;
    if (x > -6.4f) y += 8.0f * x;
    if (y > 3.9f) y += 3.5f * x;
    if (x > 2.0f) x += 8.2f * x;
    if (y > -3.0f) y += 3.9f * x;
    if (x > 2.1f) y += 3.4f * x;
    if (y > 4.3f) x += 3.9f * x;
    if (x > 5.0f) y += 4.4f * x;
    if (y > -8.8f) y += 5.4f * x;
    if (x > 5.8f) x += 4.1f * x;
    if (y > -8.5f) y += 4.9f * x;
    if (x > 6.7f) y += 7.6f * x;
    if (y > 7.1f) x += 1.8f * x;
    if (x > -7.5f) y += 8.2f * x;
    if (y > 7.0f) y += 4.3f * x;
    if (x > 2.9f) x += 4.6f * x;
    if (y > 8.3f) y += 4.6f * x;
    if (x > 6.5f) y += 3.6f * x;
    *out = x + y;
  }
});

// Sixteen numbers of each thread, guarded one by one, and what the whole block's come to before them.
inline constexpr auto guarded_scan = kernel("guarded_scan", [](Span<const float> a, Span<float> c, u32 n) {
  ++runs;
  constexpr std::uint32_t each = 16;
  const u32 first = (block_idx.x() * block_dim.x() + thread_idx.x()) * each;
  std::array<f32, each> x;
  f32 mine = 0.0f;
  for (std::uint32_t k = 0; k != each; ++k) {
    if (first + k < n) mine += a[first + k];
    x[k] = mine;
  }
  const f32 before = block::exclusive_scan(mine, 0.0f, [](f32 one, f32 other) { return one + other; });
  for (std::uint32_t k = 0; k != each; ++k)
    if (first + k < n) c.unchecked_mut(first + k) = before + x[k];
});

// The greatest number of a warp and the lane that has it: a reduction whose operation branches.
inline constexpr auto branching_reduction = kernel("branching_reduction", [](Span<float> a, Span<std::uint32_t> lanes) {
  ++runs;
  const u32 thread = thread_idx.x();
  using Best = Value<std::pair<float, std::uint32_t>>;
  Best best{f32(a[thread]), warp::lane_id()};
  best = warp::reduce(best, [](Best one, Best other) {
    Best first = one;
    const f32 x = one.get<0>(), y = other.get<0>();
    const u32 i = one.get<1>(), j = other.get<1>();
    if (y > x || (y == x && j < i)) first = other;
    return first;
  });
  lanes.unchecked_mut(thread) = best.get<1>();
});

}  // namespace oxide::bench
