// Branches in plain C++: if and else, ternaries, short circuits, early returns, helpers.
#include "support/control_flow.hpp"

namespace {

// ---- if and else

KERNEL(early_return) {
  if (x > n) return;
  m[0] = x + y;
}

KERNEL(two_early_returns) {
  if (x < 0) return;
  m[0] = x;
  if (y < 0) return;
  m[1] = y;
  if (x < y) return;
  m[2] = x - y;
}

KERNEL(if_else) {
  if (x < y) {
    m[0] = 1;
  } else {
    m[1] = 2;
  }
  m[2] = x;
}

KERNEL(if_without_else) {
  I r = y;
  if (x < 3) r = r + x;
  m[0] = r;
}

KERNEL(else_if_chain) {
  I r = 0;
  if (x < 0) r = 1;
  else if (x < 5) r = 2;
  else if (x < 10) {
    r = 3;
    m[3] = r;
  } else r = 4;
  m[0] = r;
}

KERNEL(eight_ifs_in_sequence) {
  I r = 0;
  if (x < 1) r += 1;
  if (x < 2) r += 2;
  if (x < 3) r += 4;
  if (x < 4) r += 8;
  if (x < 5) r += 16;
  if (y < 1) r += 32;
  if (y < 2) r += 64;
  if (y < 3) r += 128;
  m[0] = r;
}

KERNEL(return_in_else) {
  if (x < 3) {
    m[0] = y;
  } else {
    if (y < 3) return;
    m[1] = y;
  }
  m[2] = x * y;
  if (x < y) m[3] = y;
}

KERNEL(returns_at_every_depth) {
  if (x < 10) {
    if (y < 10) {
      if (x < y) {
        if (n < 4) {
          m[0] = 1;
          return;
        }
        m[1] = 2;
        return;
      }
      m[2] = 3;
      return;
    }
    m[3] = 4;
    return;
  }
  m[4] = 5;
}

KERNEL(nested_ifs_share_the_rest) {
  I r = 1;
  if (x < y) {
    r = r + 10;
    if (x < n) {
      r = r * 3;
      if (y < n) r = r - x;
    } else if (y < 5) {
      r = r + y;
    }
    r = r + 100;
  }
  r = r + 1000;
  m[0] = r;
}

KERNEL(if_with_initializer) {
  if (I t = x + y; t < n) {
    m[0] = t;
  } else if (I u = t - n; u < 4) {
    m[1] = u * t;
  } else {
    m[2] = t + u;
  }
}

KERNEL(if_declares_its_condition) {
  if (auto smaller = x < y) {
    m[0] = x;
    if (smaller) m[1] = y;
  } else {
    m[2] = y;
    if (!smaller) m[3] = x;
  }
}

KERNEL(the_same_code_in_both_branches) {
  if (x < y) {
    m[0] = x + 1;
    m[1] = y;
  } else {
    m[0] = x + 1;
    m[1] = y;
  }
  m[2] = m[0] + m[1];
}

KERNEL(an_empty_branch) {
  if (x < y) {
  } else {
    m[0] = 7;
  }
  if (y < n) {}
  m[1] = x;
}

KERNEL(a_condition_that_is_asked_twice) {
  auto c = x < y;
  I r = 0;
  if (c) r = x;
  m[1] = r;
  if (c) r = r + y;
  else r = r - y;
  m[0] = r;
}

KERNEL(conditions_that_change) {
  auto seen = x < 0;
  if (y < 5) seen = y < x;
  if (n < 4) seen = !seen;
  if (seen) m[0] = 1;
  else m[0] = 2;
  seen = seen | (n == 7);
  if (seen) m[1] = n;
}

KERNEL(defined_in_one_branch_and_used_after) {
  I r = x;
  I s = 0;
  if (x < y) {
    I t = y * 3;
    r = t + 1;
    s = t;
  }
  m[0] = r;
  m[1] = s + r;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
KERNEL(shadowed_variables) {
  I r = x;
  if (x < y) {
    I r = y * 2;
    r = r + 1;
    m[0] = r;
    {
      I r = n;
      r += 5;
      m[1] = r;
    }
    m[2] = r;
  }
  r = r + 1;
  m[3] = r;
}
#pragma GCC diagnostic pop

KERNEL(a_swap_in_a_branch) {
  using std::swap;
  I a = x, b = y;
  if (a > b) swap(a, b);
  m[0] = a;
  m[1] = b;
  if (b > n) std::swap(b, n);
  m[2] = b - n;
}

KERNEL(sorting_network_of_four) {
  std::array<I, 4> v{x, y, n, I(m[5])};
  const auto order = [&](std::size_t i, std::size_t j) {
    if (v[j] < v[i]) std::swap(v[i], v[j]);
  };
  order(0, 1);
  order(2, 3);
  order(0, 2);
  order(1, 3);
  order(1, 2);
  for (int k = 0; k < 4; ++k) m[k] = v[static_cast<std::size_t>(k)];
}

KERNEL(a_store_between_branches_is_seen_by_loads) {
  m[0] = x;
  if (m[0] < y) m[0] = y;
  I r = m[0];
  if (r < n) m[1] = m[0] + 1;
  m[2] = m[1] + r;
}

KERNEL(increments_in_conditions) {
  I r = x;
  if (r++ < 3 && ++r > 2) m[0] = r;
  if (--r < y || r-- < n) m[1] = r;
  m[2] = r;
}

KERNEL(assignment_in_a_condition) {
  I r = 0;
  if ((r = x - y) < 0) m[0] = r;
  else if ((r += n) > 5) m[1] = r;
  m[2] = r;
}

KERNEL(comma_operators) {
  I r = 0;
  if (r = x, m[0] = r, r < y) r += 2;
  m[1] = (r += 1, r * 2);
}

// ---- ternaries

KERNEL(ternary) {
  I r = x < y ? x + y : y * y * x;
  m[0] = r;
  m[1] = r + x;
}

KERNEL(nested_ternaries) {
  I r = x < 0 ? (y < 0 ? I(1) : I(2)) : x < 5 ? (y < 5 ? x : y) : (n < 4 ? n : x * y);
  m[0] = r;
}

KERNEL(sign_by_ternaries) {
  m[0] = x < 0 ? I(-1) : x > 0 ? I(1) : I(0);
  m[1] = (y < 0) ? -y : y;
}

KERNEL(ternary_that_chooses_a_variable) {
  I a = x, b = y;
  (a < b ? a : b) = n;
  m[0] = a;
  m[1] = b;
}

KERNEL(reference_to_the_larger) {
  I a = x, b = y;
  I& larger = a < b ? b : a;
  larger = larger * 2;
  m[0] = a;
  m[1] = b;
  larger += n;
  m[2] = a - b;
}

KERNEL(ternary_as_an_argument) {
  const auto twice = [](I a) { return a + a; };
  m[0] = twice(x < y ? x : y) + twice(x < n ? I(1) : twice(n));
}

KERNEL(ternary_with_memory) {
  m[0] = x < y ? I(m[1]) : I(m[2]);
  m[x < n ? I(3) : I(4)] = y;
}

// ---- short circuits; the right side shows by its store whether it ran

KERNEL(and_stops_early) {
  const auto right = [&] {
    m[1] = m[1] + 1;
    return y < 5;
  };
  if (x < 3 && right()) m[0] = 1;
  m[2] = x;
}

KERNEL(or_stops_early) {
  const auto right = [&] {
    m[1] = m[1] + 1;
    return y < 5;
  };
  if (x < 3 || right()) m[0] = 1;
  m[2] = x;
}

KERNEL(and_of_ors) {
  const auto seen = [&](int k, auto condition) {
    m[10 + k] = m[10 + k] + 1;
    return condition;
  };
  if ((seen(0, x < 2) || seen(1, y < 2)) && (seen(2, n < 4) || seen(3, x < y))) m[0] = 1;
  else m[0] = 2;
}

KERNEL(or_of_ands_and_negations) {
  if ((x < 5 && y < 5) || (!(x < 2) && !(n < 3)) || !(y < n)) m[0] = 1;
  if (!(x < y && !(y < n || x == n))) m[1] = 2;
  if (!(!(x < 1))) m[2] = 3;
}

KERNEL(guarded_load) {
  I r = -1;
  if (x >= 0 && x < 64 && m[x] < y) r = m[x];
  m[63] = r;
}

KERNEL(short_circuit_as_a_value) {
  const bool_of<I> both = x < 5 && y < 5;
  const bool_of<I> any = x < 0 || y < 0;
  I r = 0;
  if (both) r += 1;
  if (any) r += 2;
  if (both != any) r += 4;
  m[0] = r;
}

KERNEL(short_circuit_in_a_ternary) { m[0] = (x < y && y < n) || x == n ? (x < n && n != 0 ? x * n : x - n) : y; }

KERNEL(six_conditions_in_a_row) {
  if (x < 12 && y < 12 && n < 8 && x != y && y != n && x != n) m[0] = x * 100 + y * 10 + n;
  else m[1] = 1;
}

// ---- helpers

KERNEL(return_from_a_lambda) {
  const auto f = [&](I a) -> I {
    if (a < 0) return a * a;
    if (a > 10) return a + y;
    return a;
  };
  I r = f(x) + f(y) * 2;
  m[0] = r;
  m[1] = f(n);
}

template <class I>
I grade(I points) {
  if (points < 0) return 0;
  if (points < 4) return 1;
  if (points < 9) {
    if (points == 7) return 70;
    return 2;
  }
  return points / 2;
}

KERNEL(return_from_a_function) { m[0] = grade(x); }

KERNEL(a_function_called_from_many_places) {
  I r = grade(x);
  if (y < 5) r += grade(y) * 10;
  else r -= grade(x + y);
  if (grade(n) < grade(r)) r += grade(grade(r));
  m[0] = r;
}

template <class I>
I distance(const I& a, const I& b) {
  return a < b ? b - a : a - b;
}

template <class I>
I nearest(const I& a, const I& b, const I& to) {
  if (distance(a, to) <= distance(b, to)) return a;
  return b;
}

KERNEL(helpers_in_helpers) {
  m[0] = nearest(x, y, n);
  m[1] = nearest(nearest(x, n, y), nearest(y, n, x), I(3));
}

template <class I>
void keep_below(I& value, const I& limit, I& count) {
  if (value < limit) return;
  value = limit - 1;
  ++count;
}

KERNEL(helpers_that_change_their_arguments) {
  I count = 0;
  keep_below(x, I(5), count);
  keep_below(y, x + 3, count);
  if (count == 1) keep_below(n, y, count);
  m[0] = x;
  m[1] = y;
  m[2] = n;
  m[3] = count;
}

KERNEL(a_lambda_that_changes_what_it_captured) {
  I total = 0;
  I calls = 0;
  const auto add = [&](const I& a) {
    calls += 1;
    if (a < 0) return;
    total += a;
    if (total > 20) total = 20;
  };
  add(x);
  add(y);
  if (x < y) add(n);
  add(x - y);
  m[0] = total;
  m[1] = calls;
}

template <class I>
I power(const I& base, int exponent) {
  if (exponent == 0) return 1;
  const I half = power(base, exponent / 2);
  if (exponent % 2 == 0) return half * half;
  return half * half * base;
}

KERNEL(recursion_over_a_host_number) {
  m[0] = power(x, 5);
  if (y < 4) m[1] = power(y, 6) + power(n, 2);
}

template <class I>
I search_tree(const I& key, const I* sorted, int first, int last) {
  if (first == last) return first;
  const int middle = (first + last) / 2;
  if (key < sorted[middle]) return search_tree(key, sorted, first, middle);
  return search_tree(key, sorted, middle + 1, last);
}

KERNEL(recursion_that_branches_on_the_device) {
  const std::array<I, 7> sorted{I(-3), I(0), I(2), I(5), I(7), I(11), I(15)};
  m[0] = search_tree(x, sorted.data(), 0, 7);
  m[1] = search_tree(y, sorted.data(), 0, 7);
}

KERNEL(helpers_given_as_arguments) {
  const auto choose = [](const I& a, auto&& then, auto&& otherwise) -> I {
    if (a < 4) return then(a);
    return otherwise(a);
  };
  m[0] = choose(x, [&](const I& a) -> I { return a + y; }, [&](const I& a) -> I { return a < 8 ? a * 2 : n; });
  m[1] = choose(y, [&](const I& a) -> I { return a * a; }, [&](const I&) -> I { return x; });
}

// ---- what the standard library does with comparisons

KERNEL(std_min_and_max) {
  m[0] = std::min(x, y);
  m[1] = std::max(x, y);
  m[2] = std::min(std::max(x, n), y) + std::max(std::min(x, y), n);
}

KERNEL(std_clamp) {
  m[0] = std::clamp(x, I(0), I(7));
  m[1] = std::clamp(y, std::min(x, n), std::max(x, n));
}

KERNEL(std_min_of_a_list) {
  // with std::less, whose result the algorithms convert explicitly
  m[0] = std::min({x, y, n, I(4)}, std::less<>());
  m[1] = std::max({x, y, n}, std::less<>());
}

KERNEL(std_minmax) {
  const auto [low, high] = std::minmax(x, y);
  m[0] = low;
  m[1] = high;
}

KERNEL(std_swap) {
  I a = x, b = y;
  std::swap(a, b);
  m[0] = a;
  if (a < n) std::swap(b, n);
  m[1] = b;
  m[2] = n;
}

KERNEL(median_of_three) {
  m[0] = std::max(std::min(x, y), std::min(std::max(x, y), n));
  I r = x < y ? (y < n ? y : x < n ? n : x) : (x < n ? x : y < n ? n : y);
  m[1] = r;
}

KERNEL(std_algorithms_over_host_arrays) {
  std::array<I, 5> v{x, y, n, I(m[1]), I(m[2])};
  m[10] = *std::min_element(v.begin(), v.end(), std::less<>());
  m[11] = *std::max_element(v.begin(), v.end(), std::less<>());
  I count = 0;
  for (const I& e : v)
    if (std::any_of(v.begin(), v.end(), [&](const I& o) { return static_cast<bool>(o == e + 1); })) ++count;
  m[12] = count;
}

// ---- host state that branches may set, because each path sets it the same way every time

KERNEL(a_host_number_set_in_a_branch) {
  int k = 0;
  if (x < y) k = 1;
  m[0] = I(k) + x;
  if (y < 3) m[1] = I(k);
}

KERNEL(a_host_flag_set_in_a_branch_and_read_later) {
  bool small = false;
  int steps = 0;
  if (x < 4) small = true, ++steps;
  if (y < 4) small = !small, ++steps;
  m[0] = y;
  if (small) m[1] = x;
  else m[2] = n;
  m[3] = steps;
}

KERNEL(a_host_pointer_set_in_a_branch) {
  I a = x, b = y;
  I* chosen = &a;
  if (n < 4) chosen = &b;
  *chosen = *chosen + 10;
  m[0] = a;
  m[1] = b;
  if (x < y) *chosen += 1;
  m[2] = a + b;
}

KERNEL(a_host_index_chosen_by_the_device) {
  const int factors[] = {2, 3, 5, 7};
  std::size_t k = 0;
  if (x < 3) k += 1;
  if (y < 3) k += 2;
  m[0] = n * factors[k];
}

KERNEL(a_host_vector_filled_by_branches) {
  std::vector<I> list;
  if (x < 5) list.push_back(x);
  if (y < 5) list.push_back(y);
  if (n < 5) list.push_back(n);
  I sum = 0;
  for (const I& e : list) sum = sum * 10 + e;
  m[0] = sum;
  m[1] = static_cast<int>(list.size());
}

// ---- the comparison itself

struct differs {
  template <class I, class M>
  void operator()(I x, I y, I, M m) const {
    m[0] = x;
    if (x < y && y == 17) m[1] = control_flow::on_device<I> ? 1 : 2;
  }
};
TEST_CASE("control flow: a difference is noticed", "[control_flow][!shouldfail]") {
  control_flow::check(control_flow::make_case<differs, std::int64_t, std::int64_t>("differs"));
}

}  // namespace
