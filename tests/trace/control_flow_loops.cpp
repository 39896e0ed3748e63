// Loops on device conditions: while, do, three-part for; break, continue, return; nested, and with loops of the host around and inside.
#include "support/control_flow.hpp"

namespace {

// ---- while

KERNEL(while_counts) {
  I i = 0;
  while (i < n) {
    m[i] = m[i] + x;
    i = i + 1;
  }
  m[63] = i;
}

KERNEL(while_with_two_exits) {
  I v = x * x;
  while (v < 50) {
    v = v + v + 3;
    if (v == 33) break;
  }
  m[0] = v;
}

KERNEL(while_with_continue) {
  I i = 0, sum = 0;
  while (i < n) {
    i += 1;
    if (m[i] < 3) continue;
    sum += m[i];
  }
  m[63] = sum;
}

KERNEL(while_true_left_in_the_middle) {
  I v = x, count = 0;
  while (true) {
    v = v + 4;
    if (v > 30) break;
    count += 1;
    m[count] = v;
  }
  m[0] = count;
}

KERNEL(while_declares_its_condition) {
  I i = 0;
  while (auto more = i < n) {
    if (more) m[i] = y;
    ++i;
  }
  m[63] = i;
}

KERNEL(while_that_never_starts) {
  while (x < x) {
    m[0] = 1;
    x = x + 1;
  }
  m[1] = 2;
}

KERNEL(while_on_a_device_flag) {
  bool_of<I> done = n == 0;
  I v = x;
  while (!done) {
    v = v + 3;
    if (v > y) done = true;
  }
  m[0] = v;
}

KERNEL(while_on_a_host_flag_that_breaks_set) {
  // legal: the flag changes only on the way out
  bool found = false;
  I i = 0;
  while (i < n) {
    if (m[i] == x) {
      found = true;
      break;
    }
    ++i;
  }
  if (found) m[60] = i;
  else m[61] = i;
}

// ---- do

KERNEL(do_while) {
  I v = x, count = 0;
  do {
    v = v + 2;
    count += 1;
  } while (v < y);
  m[0] = v;
  m[1] = count;
}

KERNEL(do_once) {
  do {
    m[0] = x;
    if (x < y) break;
    m[1] = y;
  } while (false);
  m[2] = n;
}

KERNEL(do_with_continue) {
  I i = 0, sum = 0;
  do {
    ++i;
    if (m[i] < y) continue;
    sum += i;
  } while (i < n);
  m[0] = sum;
}

KERNEL(do_with_break_and_return) {
  I i = 0;
  do {
    I v = m[i];
    if (v == x) break;
    if (v == y) {
      m[62] = i;
      return;
    }
    i += 1;
  } while (i < 20);
  m[63] = i;
}

KERNEL(do_until_two_conditions) {
  I a = x, b = y;
  do {
    a += 3;
    b += 2;
  } while (a < 20 && b < 17);
  m[0] = a;
  m[1] = b;
}

// ---- for

KERNEL(for_counts) {
  I sum = 0;
  for (I i = 0; i < n; i += 1) sum += m[i];
  m[0] = sum;
}

KERNEL(for_with_postfix_increment) {
  I sum = 0;
  for (I i = 0; i < n; i++) sum += i * x;
  m[0] = sum;
}

KERNEL(for_with_prefix_increment) {
  for (I i = 1; i <= n; ++i) m[i] = m[i - 1] + y;
}

KERNEL(for_downwards) {
  for (I i = n; i > 0; --i) m[i] = m[i - 1];
  m[0] = x;
}

KERNEL(for_in_steps) {
  I sum = 0;
  for (I i = x; i < y + 10; i += 3) sum = sum * 2 + i;
  m[0] = sum;
}

KERNEL(for_with_two_counters) {
  I swaps = 0;
  for (I i = 0, j = n; i < j; ++i, --j) {
    I t = m[i];
    m[i] = m[j];
    m[j] = t;
    ++swaps;
  }
  m[63] = swaps;
}

KERNEL(for_with_continue_and_break) {
  I sum = 0;
  for (I i = 0; i < n; i += 1) {
    if (m[i] < x) continue;
    sum += m[i];
    if (sum > 40) break;
  }
  m[0] = sum;
}

KERNEL(for_without_an_increment) {
  I sum = 0;
  for (I i = x; i < 15;) {
    sum += i;
    if (i < 0) i += 5;
    else i += 2;
  }
  m[0] = sum;
}

KERNEL(for_without_a_condition) {
  I i = 0;
  for (;; ++i) {
    if (i >= n) break;
    if (m[i] == y) {
      m[61] = i;
      return;
    }
  }
  m[62] = i;
}

KERNEL(for_whose_bound_changes) {
  I end = n;
  I i = 0;
  for (; i < end; ++i) {
    if (m[i] > 12 && end < 20) end += 1;
    if (m[i] < -3) end -= 1;
  }
  m[63] = i * 100 + end;
}

KERNEL(for_with_a_flag_in_its_condition) {
  bool_of<I> good = true;
  I i = 0;
  for (; good && i < n; ++i)
    if (m[i] < 0) good = false;
  m[62] = i;
  if (good) m[63] = 1;
}

KERNEL(for_with_short_circuit_condition) {
  I sum = 0, i = 0;
  while (i < n && m[i] < y && !(sum > 90)) {
    sum += m[i] * m[i];
    i += 1;
  }
  m[62] = sum;
  m[63] = i;
}

// ---- nested

KERNEL(two_loops_nested) {
  I sum = 0;
  for (I i = 0; i < n; ++i)
    for (I j = 0; j < i; ++j) sum += i * j + x;
  m[0] = sum;
}

KERNEL(three_loops_nested) {
  I count = 0;
  for (I i = 0; i < n; ++i)
    for (I j = i; j < n; ++j)
      for (I k = j; k < n; ++k)
        if (m[i] + m[j] + m[k] < x) ++count;
  m[63] = count;
}

KERNEL(four_loops_nested) {
  I sum = 0;
  for (I a = 0; a < 3; ++a) {
    I b = a;
    while (b < n) {
      I c = 0;
      do {
        for (I d = c; d < 3; ++d) {
          if (d == x) continue;
          sum += a + b * c - d;
          if (sum > 100) break;
        }
        c += 1;
      } while (c < b);
      b += 2;
    }
  }
  m[0] = sum;
}

KERNEL(return_from_nested_loops) {
  I sum = 0;
  for (I i = 0; i < n; i += 1) {
    I j = 0;
    while (j < i) {
      if (m[i + j] < x) sum += j;
      else sum += 2;
      j += 1;
    }
    if (sum > 20) {
      m[62] = sum;
      return;
    }
    m[i] = sum;
  }
  m[63] = sum;
}

KERNEL(break_from_two_loops_by_a_flag) {
  bool_of<I> found = false;
  I at = -1;
  for (I i = 0; i < n && !found; ++i) {
    for (I j = 0; j < n; ++j) {
      if (m[i] + m[j] == x) {
        found = true;
        at = i * 8 + j;
        break;
      }
    }
  }
  m[63] = at;
}

KERNEL(continue_of_the_outer_loop_by_return_of_a_lambda) {
  I count = 0;
  for (I i = 0; i < n; ++i) {
    const auto repeats = [&] {
      for (I j = 0; j < i; ++j)
        if (m[j] == m[i]) return true;
      return false;
    };
    if (repeats()) continue;
    ++count;
  }
  m[63] = count;
}

KERNEL(inner_loop_changes_the_outer_counter) {
  I i = 0, passes = 0;
  while (i < 20) {
    while (i < n) i += 2;
    i += 3;
    ++passes;
  }
  m[0] = passes;
  m[1] = i;
}

KERNEL(a_loop_in_each_branch) {
  I r = 0;
  if (x < y) {
    for (I i = 0; i < n; ++i) r += m[i];
  } else {
    I v = x;
    while (v > y) {
      v -= 2;
      ++r;
    }
  }
  m[63] = r;
}

KERNEL(a_branch_between_loops) {
  I a = 0;
  for (I i = 0; i < n; ++i) a += i;
  if (a > x) a -= x;
  else a += y;
  while (a > 10) a -= 7;
  m[0] = a;
}

KERNEL(loops_in_sequence_share_a_counter) {
  I i = 0;
  while (m[i] < x && i < 20) ++i;
  m[60] = i;
  while (m[i] > y && i < 40) ++i;
  m[61] = i;
  for (; i < 50; i += 7) m[i] = 0;
  m[62] = i;
}

KERNEL(many_exits) {
  I i = 0;
  for (;;) {
    if (i >= 30) break;
    I v = m[i];
    if (v == x) {
      m[60] = i;
      break;
    }
    if (v == y) return;
    if (v < 0) {
      i += 3;
      continue;
    }
    if (v > 10) {
      if (n < 4) break;
      m[61] = v;
    }
    ++i;
  }
  m[62] = i;
}

// ---- what loops carry

KERNEL(carried_swap) {
  I a = x, b = y;
  for (I i = 0; i < n; ++i) {
    I t = a;
    a = b;
    b = t + b;
    if (a > b) std::swap(a, b);
  }
  m[0] = a;
  m[1] = b;
}

KERNEL(carried_rotation_of_three) {
  I a = x, b = y, c = n;
  for (I i = 0; i < n; ++i) {
    I t = a;
    a = b;
    b = c;
    c = t;
    if (a < b) c += 1;
  }
  m[0] = a;
  m[1] = b;
  m[2] = c;
}

KERNEL(defined_in_the_loop_and_used_after) {
  I last = -1, previous = -1;
  for (I i = 0; i < n; ++i) {
    I v = m[i];
    if (v < x) {
      previous = last;
      last = v;
    }
  }
  m[62] = last;
  m[63] = previous;
}

KERNEL(an_invariant_before_the_loop) {
  I limit = x * 2 + y;
  I step = y < 0 ? I(1) : I(3);
  I v = 0;
  while (v < limit) v += step;
  m[0] = v;
  m[1] = limit;
}

KERNEL(variables_made_anew_in_each_pass) {
  I out = 0;
  for (I i = 0; i < n; ++i) {
    I local = 1;
    if (m[i] < x) local += i;
    if (m[i] < y) local *= 2;
    out = out * 3 + local;
  }
  m[63] = out;
}

KERNEL(first_pass_is_special) {
  bool_of<I> first = true;
  I out = 0;
  for (I i = 0; i < n; ++i) {
    if (!first) out = out * 10;
    out += m[i];
    first = false;
  }
  m[63] = out;
}

KERNEL(alternating_branches) {
  I plus = 0, minus = 0;
  bool_of<I> even = true;
  for (I i = 0; i < n; ++i) {
    if (even) plus += m[i];
    else minus -= m[i];
    even = !even;
  }
  m[62] = plus;
  m[63] = minus;
}

// ---- helpers with loops

template <class I, class M>
I find(const I& value, const I& end, M m) {
  for (I i = 0; i < end; ++i)
    if (m[i] == value) return i;
  return -1;
}

KERNEL(a_search_called_from_several_places) {
  I a = find(x, n, m);
  if (a < 0) a = find(y, I(20), m);
  I b = find(a, n + n, m);
  m[62] = a;
  m[63] = b;
}

KERNEL(a_loop_with_a_helper_as_condition) {
  const auto more = [&](const I& v) {
    if (v > 40) return false;
    return v < 30 || v < y * 5;
  };
  I v = x;
  while (more(v)) v = v * 2 + 7;
  m[0] = v;
}

KERNEL(a_loop_that_takes_its_body) {
  const auto repeat = [](const I& times, auto&& body) {
    for (I i = 0; i < times; ++i) body(i);
  };
  I sum = 0;
  repeat(n, [&](const I& i) {
    if (m[i] < x) return;
    sum += m[i];
  });
  repeat(I(3), [&](const I& i) { repeat(i, [&](const I& j) { sum += i + j; }); });
  m[63] = sum;
}

// ---- loops of the host around, inside and beside

KERNEL(host_loop) {
  I sum = 0;
  for (int k = 0; k < 6; ++k) {
    if (m[k] < x) sum += k;
    else sum += y;
  }
  m[0] = sum;
}

KERNEL(host_loop_without_a_visible_counter) {
  I v = x;
  for (int k = 0; k < 5; ++k) {
    if (v > 60) v = v - 50;
    else v = v * 2 + 1;
  }
  m[0] = v;
}

KERNEL(host_loop_left_by_the_device) {
  I v = x;
  for (int k = 0; k < 6; ++k) {
    if (v > 40) break;
    v = v * 2 + 1;
  }
  m[0] = v;
}

KERNEL(host_loop_with_continue_and_return) {
  I sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (m[k] < 0) continue;
    sum += m[k];
    if (sum > 30) {
      m[62] = k;
      return;
    }
  }
  m[63] = sum;
}

KERNEL(host_loops_nested) {
  I sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      if (m[i] < m[j]) sum += i * 3 + j;
  m[63] = sum;
}

KERNEL(host_loop_around_a_device_loop) {
  I sum = 0;
  for (int k = 1; k < 4; ++k) {
    I i = 0;
    while (i < n) {
      sum += m[i] * k;
      i += k;
    }
  }
  m[63] = sum;
}

KERNEL(host_loop_around_a_device_loop_that_looks_alike) {
  I v = x;
  for (int k = 0; k < 3; ++k) {
    while (v < y) v += 3;
    v -= 5;
  }
  m[0] = v;
}

KERNEL(device_loop_around_a_host_loop) {
  I sum = 0;
  for (I i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k)
      if (m[i + k] < x) sum += k;
  m[63] = sum;
}

KERNEL(device_loop_around_a_host_loop_that_is_left) {
  I out = 0;
  I i = 0;
  while (i < n) {
    int k = 0;
    for (; k < 3; ++k)
      if (m[i + k] > y) break;
    out = out * 4 + k;
    ++i;
  }
  m[63] = out;
}

KERNEL(host_device_host_loops) {
  I out = 0;
  for (int a = 0; a < 2; ++a) {
    for (I i = a; i < n; i += 2) {
      for (int k = 0; k < 2; ++k) {
        if (m[i + k] < x) continue;
        out += a + k + 1;
      }
    }
  }
  m[63] = out;
}

KERNEL(host_loop_over_a_host_list) {
  I best = m[0];
  for (const int k : {1, 4, 9, 16, 25}) {
    I v = m[k];
    if (v > best) best = v;
  }
  m[63] = best;
}

KERNEL(host_loop_with_device_break_inside_a_device_loop) {
  I i = 0, sum = 0;
  while (i < 12) {
    for (int k = 0; k < 3; ++k) {
      sum += m[i];
      ++i;
      if (sum > x * 2) break;
      if (i == n) return;
    }
    m[40 + i] = sum;
  }
  m[63] = sum;
}

// ---- unsigned

KERNEL_OF(unsigned_wraps_around, std::uint32_t) {
  I v = x;
  I wraps = 0;
  for (I i = 0; i < n + 3u; ++i) {
    I next = v * 2654435761u + 12345u;
    if (next < v) ++wraps;
    v = next;
  }
  m[0] = v;
  m[1] = wraps;
  m[2] = x - y;
}

KERNEL_OF(unsigned_counts_down, std::uint32_t) {
  I sum = 0;
  for (I i = n; i-- > 0u;) sum = sum * 3u + m[i];
  m[63] = sum;
}

KERNEL_OF(unsigned_shifts, std::uint32_t) {
  I v = x, bits = 0;
  while (v != 0u) {
    if ((v & 1u) != 0u) ++bits;
    v >>= 1;
  }
  m[0] = bits;
  v = y;
  I reversed = 0;
  for (int k = 0; k < 8; ++k) {
    reversed = (reversed << 1) | (v & 1u);
    v >>= 1;
  }
  m[1] = reversed;
}

}  // namespace
