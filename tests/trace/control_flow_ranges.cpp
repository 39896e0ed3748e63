// Counted loops: ox::range and ox::grid_stride, with everything that may happen inside them.
#include <oxide/oxide.hpp>

#include "support/control_flow.hpp"

namespace {

KERNEL(range_to) {
  I sum = 0;
  for (auto i : range(n)) sum += i * x;
  m[0] = sum;
}

KERNEL(range_from_to) {
  I sum = 0;
  for (auto i : range(x, y)) sum = sum * 2 + i;
  m[0] = sum;
}

KERNEL(range_in_steps) {
  I sum = 0;
  for (auto i : range(x, y + 20, I(3))) sum = sum * 2 + i;
  m[0] = sum;
}

KERNEL(range_in_steps_of_the_device) {
  I step = x < 0 ? I(2) : x + 1;
  for (auto i : range(I(0), n * 4, step)) m[i] = y;
}

KERNEL(range_downwards) {
  I sum = 0;
  for (auto i : range(n, I(0), -1)) {
    m[i] = m[i - 1];
    sum = sum * 2 + i;
  }
  m[0] = sum;
}

KERNEL(range_downwards_in_steps) {
  I sum = 0;
  for (auto i : range(y + 10, x - 10, -3)) sum = sum * 2 + i;
  m[0] = sum;
}

KERNEL(range_that_is_empty) {
  for (auto i : range(n, I(0))) m[i] = 100;
  for (auto i : range(x, x)) m[i] = 100;
  m[0] = 1;
}

KERNEL(range_with_break) {
  I sum = 0;
  for (auto i : range(n)) {
    if (sum > 20) break;
    sum += m[i];
  }
  m[0] = sum;
}

KERNEL(range_with_break_and_continue) {
  I sum = 0;
  for (auto i : range(I(0), n)) {
    if (sum > 50) break;
    if (m[i] < y) continue;
    sum += m[i];
  }
  m[0] = sum;
}

KERNEL(range_with_return) {
  for (auto i : range(n)) {
    if (m[i] == x) {
      m[60] = i;
      return;
    }
  }
  m[60] = -1;
}

KERNEL(range_whose_body_always_breaks) {
  for (auto i : range(n)) {
    m[5] = i + x;
    break;
  }
  m[6] = y;
}

KERNEL(range_whose_body_always_returns) {
  for (auto i : range(n)) {
    m[5] = i + x;
    return;
  }
  m[6] = y;
}

KERNEL(range_whose_body_always_continues) {
  I count = 0;
  for (auto i : range(n)) {
    if (i < x) continue;
    ++count;
    continue;
  }
  m[0] = count;
}

KERNEL(range_with_an_else_if_chain) {
  I low = 0, middle = 0, high = 0;
  for (auto i : range(n)) {
    I v = m[i];
    if (v < 0) low += 1;
    else if (v < 7) middle += v;
    else if (v != x) high += i;
    else break;
  }
  m[61] = low;
  m[62] = middle;
  m[63] = high;
}

KERNEL(range_with_short_circuits) {
  I count = 0;
  for (auto i : range(n)) {
    if ((m[i] < x && i != y) || (m[i + 1] > 9 && !(m[i] == m[i + 1]))) ++count;
  }
  m[63] = count;
}

KERNEL(a_counter_that_is_copied_and_changed) {
  I sum = 0;
  for (auto i : range(n)) {
    I j = i;
    j += 3;
    if (j > 5) j -= 5;
    sum += j * 10 + i;
  }
  m[63] = sum;
}

KERNEL(a_bound_that_changes_in_the_loop) {
  // the bounds are read before the loop
  I end = n;
  I passes = 0;
  for (auto i : range(end)) {
    end -= 1;
    passes += 1;
    m[i] = end;
  }
  m[62] = end;
  m[63] = passes;
}

KERNEL(ranges_nested) {
  I sum = 0;
  for (auto i : range(n))
    for (auto j : range(i))
      for (auto k : range(j, n)) sum += i + j * k;
  m[63] = sum;
}

KERNEL(ranges_nested_with_every_exit) {
  I sum = 0;
  for (auto i : range(n)) {
    for (auto j : range(i)) {
      if (j > y) break;
      if (m[i + j] < x) {
        sum += j;
        continue;
      }
      sum += i;
      if (sum > 40) return;
    }
    m[i] = sum;
  }
  m[63] = sum;
}

KERNEL(ranges_four_deep) {
  I sum = 0;
  for (auto a : range(I(2)))
    for (auto b : range(n)) {
      if (b == x) continue;
      for (auto c : range(b)) {
        if (c > 2) break;
        for (auto d : range(a, c)) sum += a + b + c + d + m[d];
      }
    }
  m[63] = sum;
}

KERNEL(ranges_in_branches) {
  I sum = x;
  for (auto i : range(n)) {
    if (m[i] < 5) {
      if (i < 3) {
        sum += 1;
      } else {
        for (auto j : range(I(3))) {
          sum += j * m[j];
          if (sum > 100) break;
        }
      }
    } else if (sum < y) {
      sum *= 2;
    } else {
      sum += 7;
      if (sum > 500) break;
    }
  }
  m[63] = sum;
}

KERNEL(ranges_in_sequence) {
  for (auto i : range(n)) m[i] = m[i] + x;
  I sum = 0;
  for (auto i : range(n)) sum += m[i];
  for (auto i : range(n)) m[i] = m[i] * sum;
  m[63] = sum;
}

KERNEL(a_range_of_fixed_length) {
  I sum = 0;
  for (auto i : range(I(10))) {
    if (m[i] > y) sum += m[i];
  }
  m[63] = sum;
}

KERNEL(while_in_a_range) {
  I sum = 0;
  for (auto i : range(n)) {
    I j = i;
    while (j < 5) {
      sum += j;
      j += 1;
    }
  }
  m[63] = sum;
}

KERNEL(a_range_in_a_while) {
  I v = x, sum = 0;
  while (v < 20) {
    for (auto i : range(n)) {
      if (m[i] > v) break;
      sum += i;
    }
    v += 4;
  }
  m[63] = sum;
}

KERNEL(do_in_a_range_in_a_for) {
  I sum = 0;
  for (I a = 0; a < n; a += 2) {
    for (auto i : range(a)) {
      I v = i;
      do {
        v += 2;
        if (v == x) continue;
        sum += v;
      } while (v < a);
    }
  }
  m[63] = sum;
}

template <class I, class M>
I count_below(const I& limit, const I& end, M m) {
  I count = 0;
  for (auto i : range(end)) {
    if (m[i] >= limit) continue;
    ++count;
  }
  return count;
}

KERNEL(a_range_in_a_helper) {
  I a = count_below(x, n, m);
  if (a > 2) a += count_below(a, I(12), m);
  m[62] = a;
  m[63] = count_below(y, a, m);
}

template <class I, class M>
I first_above(const I& limit, const I& end, M m) {
  for (auto i : range(end))
    if (m[i] > limit) return i;
  return end;
}

KERNEL(a_range_in_a_helper_that_returns_from_it) {
  m[62] = first_above(x, n, m);
  for (auto i : range(n)) m[i + 30] = first_above(i, n, m);
}

KERNEL(a_range_in_a_host_loop) {
  I sum = 0;
  for (int k = 1; k < 4; ++k)
    for (auto i : range(n)) {
      if (m[i] < x) sum += k;
    }
  m[63] = sum;
}

KERNEL(a_range_in_a_host_loop_without_a_visible_counter) {
  I v = x;
  for (int k = 0; k < 3; ++k) {
    for (auto i : range(n)) v += m[i] + i;
    if (v > 50) v -= 40;
  }
  m[63] = v;
}

KERNEL(a_host_loop_in_a_range) {
  I sum = 0;
  for (auto i : range(n)) {
    for (int k = 0; k < 4; ++k) {
      if (m[i + k] < y) sum += k;
      else sum -= 1;
    }
  }
  m[63] = sum;
}

KERNEL(a_host_loop_in_a_range_left_by_the_device) {
  I sum = 0;
  for (auto i : range(n)) {
    for (int k = 0; k < 5; ++k) {
      if (m[i + k] > x) break;
      sum += k + 1;
    }
  }
  m[63] = sum;
}

KERNEL(a_host_flag_set_on_the_way_out_of_a_range) {
  bool found = false;
  I at = 0;
  for (auto i : range(n)) {
    if (m[i] == x) {
      found = true;
      at = i;
      break;
    }
  }
  if (found) m[62] = at;
  else m[63] = 1;
}

KERNEL(host_variables_of_the_loop_body) {
  I sum = 0;
  for (auto i : range(n)) {
    int weight = 1;
    if (m[i] < x) weight = 3;
    if (m[i] < y) weight += 4;
    sum += i * weight;
  }
  m[63] = sum;
}

KERNEL(carried_through_a_range) {
  I a = x, b = y;
  for (auto i : range(n)) {
    if (m[i] < 4) std::swap(a, b);
    a = std::max(a, b - i);
    b = std::min(a + 1, b);
  }
  m[62] = a;
  m[63] = b;
}

KERNEL(tile_in_host_arrays) {
  std::array<I, 4> tile{};
  for (auto i : range(n)) {
    for (std::size_t k = 0; k < tile.size(); ++k) {
      tile[k] += m[i + static_cast<int>(k)] * x;
      if (tile[k] > 50) tile[k] -= y;
    }
  }
  for (std::size_t k = 0; k < tile.size(); ++k) m[40 + static_cast<int>(k)] = tile[k];
}

KERNEL(tile_of_a_matrix_product) {
  std::array<std::array<I, 2>, 2> c{};
  for (auto k : range(n)) {
    std::array<I, 2> row, column;
    for (int i = 0; i < 2; ++i) row[static_cast<std::size_t>(i)] = m[k * 2 + i];
    for (int j = 0; j < 2; ++j) column[static_cast<std::size_t>(j)] = m[k + 16 * (j + 1)];
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) c[i][j] += row[i] * column[j];
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) m[50 + i * 2 + j] = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

KERNEL(sliding_window_in_a_host_array) {
  std::array<I, 3> window{I(m[0]), I(m[1]), I(m[2])};
  I peaks = 0;
  for (auto i : range(I(3), n + 3)) {
    if (window[1] > window[0] && window[1] > window[2]) ++peaks;
    window[0] = window[1];
    window[1] = window[2];
    window[2] = m[i];
  }
  m[63] = peaks;
}

KERNEL(host_vectors_made_in_the_loop_body) {
  I sum = 0;
  for (auto i : range(n)) {
    std::vector<I> parts;
    parts.push_back(m[i]);
    if (m[i] < x) parts.push_back(i);
    for (const I& p : parts) sum += p;
  }
  m[63] = sum;
}

KERNEL_OF(range_of_unsigned, std::uint32_t) {
  I sum = 0;
  for (auto i : range(n + 2u)) {
    if ((x >> i) % 2u == 1u) sum += 1u << i;
  }
  m[0] = sum;
}

KERNEL_OF(range_of_32_bits, std::int32_t) {
  I sum = 0;
  for (auto i : range(x, y, 2)) {
    if (i % 3 == 0) continue;
    sum += i;
  }
  m[0] = sum;
}

// ---- grid_stride: all threads of a launch share the elements out

// out[i] = f(in[i]) for the elements below `size`; the others stay.
template <class F>
void check_grid_stride(const F& kernel, std::int32_t (*model)(std::int32_t, std::uint32_t)) {
  const std::uint32_t sizes[] = {0, 1, 31, 64, 1000, 4099};
  for (const ox::Device& device : ox::Device::all()) {
    const ox::Stream stream = device.default_stream();
    for (const std::uint32_t size : sizes) {
      std::mt19937 random(size);
      std::vector<std::int32_t> in(size + 8), out(size + 8, -7), wanted(out);
      for (auto& v : in) v = static_cast<std::int32_t>(random() % 40) - 10;
      for (std::uint32_t i = 0; i < size; ++i) wanted[i] = model(in[i], i);
      auto a = ox::DeviceBuffer<std::int32_t>::from_host(stream, in);
      auto b = ox::DeviceBuffer<std::int32_t>::from_host(stream, out);
      kernel(stream, ox::LaunchConfig{.grid = {2}, .block = {32}}, size, a, b);
      INFO("device " << device.name() << ", " << size << " elements");
      CHECK(b.to_host(stream) == wanted);
    }
  }
}

constexpr auto grid_stride_plain =
    ox::kernel("grid_stride_plain", [](ox::u32 size, ox::Span<const std::int32_t> in, ox::DisjointSpan<std::int32_t> out) {
      for (auto i : ox::grid_stride(size))
        if (auto e = out.get_mut(i)) *e = in[i] * 2;
    });
TEST_CASE("control flow: grid_stride", "[control_flow]") {
  check_grid_stride(grid_stride_plain, [](std::int32_t v, std::uint32_t) { return v * 2; });
}

constexpr auto grid_stride_with_continue =
    ox::kernel("grid_stride_with_continue", [](ox::u32 size, ox::Span<const std::int32_t> in, ox::DisjointSpan<std::int32_t> out) {
      for (auto i : ox::grid_stride(size)) {
        ox::i32 v = in[i];
        auto e = out.get_mut(i);
        if (!static_cast<bool>(e)) continue;
        if (v < 0) {
          *e = -v;
          continue;
        }
        *e = v + 1;
      }
    });
TEST_CASE("control flow: grid_stride with continue", "[control_flow]") {
  check_grid_stride(grid_stride_with_continue, [](std::int32_t v, std::uint32_t) { return v < 0 ? -v : v + 1; });
}

constexpr auto grid_stride_with_a_loop_inside =
    ox::kernel("grid_stride_with_a_loop_inside", [](ox::u32 size, ox::Span<const std::int32_t> in, ox::DisjointSpan<std::int32_t> out) {
      for (auto i : ox::grid_stride(size)) {
        ox::i32 v = in[i];
        ox::i32 steps = 0;
        while (v > 3) {
          if (v % 2 == 0) v /= 2;
          else v -= 3;
          steps += 1;
          if (steps == 5) break;
        }
        if (auto e = out.get_mut(i)) *e = steps * 100 + v;
      }
    });
TEST_CASE("control flow: grid_stride with a loop inside", "[control_flow]") {
  check_grid_stride(grid_stride_with_a_loop_inside, [](std::int32_t v, std::uint32_t) {
    std::int32_t steps = 0;
    while (v > 3) {
      if (v % 2 == 0) v /= 2;
      else v -= 3;
      steps += 1;
      if (steps == 5) break;
    }
    return steps * 100 + v;
  });
}

}  // namespace
