// Algorithms as anyone would write them, on integers and on floating-point numbers.
#include "support/control_flow.hpp"

namespace {

// ---- numbers

KERNEL(gcd_by_subtraction) {
  I a = x * x + 1, b = y * y + 1;
  while (!(a == b)) {
    if (a > b) a = a - b;
    else b = b - a;
  }
  m[0] = a;
}

template <class I>
I gcd(I a, I b) {
  while (b != 0) {
    I t = a % b;
    a = b;
    b = t;
  }
  return a;
}

KERNEL(gcd_and_lcm) {
  I a = x * x + 6, b = y * y + 4;
  I g = gcd(a, b);
  m[0] = g;
  m[1] = a / g * b;
  m[2] = gcd(g, n + 1);
}

KERNEL(collatz) {
  I v = x * x + 1, count = 0;
  while (v != 1 && count < 30) {
    if (v % 2 == 0) v = v / 2;
    else v = v * 3 + 1;
    ++count;
  }
  m[0] = count;
  m[1] = v;
}

KERNEL(square_root_of_an_integer) {
  I v = x * x + y * y + n;
  I guess = v;
  I next = (guess + 1) / 2;
  while (next < guess) {
    guess = next;
    next = (guess + v / guess) / 2;
  }
  m[0] = guess;
}

KERNEL(power_by_squaring) {
  I base = x, exponent = n + 7, result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
    exponent /= 2;
  }
  m[0] = result;
}

KERNEL(sum_of_digits_and_palindromes) {
  I v = x * x * 17 + n, rest = v, sum = 0, reversed = 0;
  while (rest != 0) {
    I digit = rest % 10;
    sum += digit;
    reversed = reversed * 10 + digit;
    rest /= 10;
  }
  m[0] = sum;
  m[1] = reversed == v ? I(1) : I(0);
}

template <class I>
bool_of<I> is_prime(const I& v) {
  if (v < 2) return false;
  for (I d = 2; d * d <= v; ++d)
    if (v % d == 0) return false;
  return true;
}

KERNEL(primes_by_trial) {
  I count = 0;
  for (auto i : range(x + 10, x + 10 + n))
    if (is_prime(i)) ++count;
  m[0] = count;
  if (is_prime(y)) m[1] = y;
}

KERNEL(sieve_of_eratosthenes) {
  for (auto i : range(I(0), I(64))) m[i] = 1;
  m[0] = 0;
  m[1] = 0;
  I end = 20 + n * 5;
  for (I p = 2; p * p < end; ++p) {
    if (m[p] == 0) continue;
    for (auto k : range(p * p, end, p)) m[k] = 0;
  }
}

KERNEL(perfect_numbers) {
  I v = x + y + n + 12, sum = 0;
  for (I d = 1; d < v; ++d) {
    if (v % d == 0) sum += d;
    if (sum > v) break;
  }
  m[0] = sum;
  m[1] = sum == v ? I(1) : I(0);
}

KERNEL(josephus) {
  I people = n + 1, step = x * x + 2, survivor = 0;
  for (auto k : range(I(2), people + 1)) survivor = (survivor + step) % k;
  m[0] = survivor;
}

KERNEL_OF(hash_fnv, std::uint32_t) {
  I h = 2166136261u;
  for (auto i : range(n)) {
    h ^= m[i];
    h *= 16777619u;
  }
  m[63] = h;
}

KERNEL_OF(random_by_xorshift_with_rejection, std::uint32_t) {
  I state = x * 7919u + y + 1u;
  I tries = 0;
  for (I found = 0; found < n;) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    ++tries;
    if (tries > 60u) break;
    if ((state & 7u) > 4u) continue;
    m[found] = state & 7u;
    ++found;
  }
  m[63] = tries;
}

KERNEL_OF(crc_by_bits, std::uint32_t) {
  I crc = ~x;
  for (auto i : range(n)) {
    crc ^= m[i];
    for (int bit = 0; bit < 8; ++bit) {
      if ((crc & 1u) != 0u) crc = (crc >> 1) ^ 0xedb88320u;
      else crc >>= 1;
    }
  }
  m[63] = ~crc;
}

KERNEL_OF(leading_zeros_by_halving, std::uint32_t) {
  I v = (x * 48271u) >> (n & 15u), count = 0;
  if (v == 0u) {
    m[0] = 32;
    return;
  }
  for (const unsigned width : {16u, 8u, 4u, 2u, 1u}) {
    if (v >> (32u - width) == 0u) {
      count += width;
      v <<= width;
    }
  }
  m[0] = count;
}

// ---- arrays

KERNEL(binary_search) {
  for (auto i : range(I(0), I(32))) m[i] = i * 2 - 9;
  I low = 0, high = 32;
  while (low < high) {
    I middle = (low + high) / 2;
    if (m[middle] == x) {
      m[60] = middle;
      return;
    }
    if (m[middle] < x) low = middle + 1;
    else high = middle;
  }
  m[61] = low;
}

KERNEL(insertion_sort) {
  for (I i = 1; i < n + 4; ++i) {
    I v = m[i];
    I j = i;
    while (j > 0 && m[j - 1] > v) {
      m[j] = m[j - 1];
      --j;
    }
    m[j] = v;
  }
}

KERNEL(bubble_sort) {
  I end = n + 2;
  bool_of<I> sorted = false;
  while (!sorted) {
    sorted = true;
    for (I i = 1; i < end; ++i) {
      if (m[i - 1] <= m[i]) continue;
      I t = m[i];
      m[i] = m[i - 1];
      m[i - 1] = t;
      sorted = false;
    }
    end -= 1;
  }
}

KERNEL(selection_sort) {
  for (auto i : range(n)) {
    I best = i;
    for (auto j : range(i + 1, n))
      if (m[j] < m[best]) best = j;
    if (best != i) {
      I t = m[i];
      m[i] = m[best];
      m[best] = t;
    }
  }
}

KERNEL(shell_sort) {
  I size = n * 2 + 4;
  for (const int gap : {7, 3, 1}) {
    for (I i = gap; i < size; ++i) {
      I v = m[i];
      I j = i;
      for (; j >= gap && m[j - gap] > v; j -= gap) m[j] = m[j - gap];
      m[j] = v;
    }
  }
}

KERNEL(heap_sift_down) {
  I size = n + 8, at = 0;
  m[0] = x;
  for (;;) {
    I child = at * 2 + 1;
    if (child >= size) break;
    if (child + 1 < size && m[child + 1] > m[child]) ++child;
    if (m[child] <= m[at]) break;
    I t = m[at];
    m[at] = m[child];
    m[child] = t;
    at = child;
  }
  m[63] = at;
}

KERNEL(partition_from_both_ends) {
  I low = 0, high = n + 6;
  while (true) {
    while (low < high && m[low] < x) ++low;
    while (low < high && m[high] >= x) --high;
    if (low >= high) break;
    I t = m[low];
    m[low] = m[high];
    m[high] = t;
  }
  m[63] = low;
}

KERNEL(merge_of_two_halves) {
  for (auto i : range(I(1), n)) {
    if (m[i] < m[i - 1]) m[i] = m[i - 1];
    if (m[i + 16] < m[i + 15]) m[i + 16] = m[i + 15];
  }
  I a = 0, b = 16, to = 32;
  while (a < n || b < n + 16) {
    if (b >= n + 16 || (a < n && m[a] <= m[b])) {
      m[to] = m[a];
      ++a;
    } else {
      m[to] = m[b];
      ++b;
    }
    ++to;
  }
  m[63] = to;
}

KERNEL(largest_sum_of_neighbours) {
  I best = m[0], here = 0;
  for (auto i : range(n + 2)) {
    here = std::max(here + m[i], I(m[i]));
    best = std::max(best, here);
  }
  m[63] = best;
}

KERNEL(majority_vote) {
  I candidate = -100, votes = 0;
  for (auto i : range(n + 3)) {
    I v = m[i] < x ? I(0) : I(1);
    if (votes == 0) {
      candidate = v;
      votes = 1;
    } else if (v == candidate) ++votes;
    else --votes;
  }
  m[62] = candidate;
  m[63] = votes;
}

KERNEL(histogram) {
  for (auto i : range(I(40), I(48))) m[i] = 0;
  for (auto i : range(n + 20)) {
    I v = m[i];
    I bin = v < 0 ? I(0) : v > 13 ? I(7) : v / 2;
    m[40 + bin] += 1;
  }
}

KERNEL(prefix_sums_and_a_search_in_them) {
  for (auto i : range(I(1), n + 1)) m[i] += m[i - 1];
  I at = 0;
  while (at <= n && m[at] < x * 3) ++at;
  m[63] = at;
}

KERNEL(longest_rising_subsequence) {
  I best = 0;
  for (I i = 0; i < n; ++i) {
    I length = 1;
    for (I j = 0; j < i; ++j)
      if (m[j] < m[i] && m[32 + j] + 1 > length) length = m[32 + j] + 1;
    m[32 + i] = length;
    if (length > best) best = length;
  }
  m[63] = best;
}

// ---- texts

KERNEL(string_match) {
  for (auto i : range(I(0), I(40))) m[i] = m[i] % 2;
  I count = 0;
  for (I at = 0; at + 3 < n * 4; ++at) {
    I k = 0;
    while (k < 3 && m[at + k] == m[40 + k] % 2) ++k;
    if (k == 3) {
      ++count;
      if (count == 3) break;
    }
  }
  m[63] = count;
}

KERNEL(run_length_encoding) {
  I out = 32, i = 0;
  while (i < n * 2) {
    I value = m[i] / 8, length = 0;
    do {
      ++length;
      ++i;
    } while (i < n * 2 && m[i] / 8 == value);
    m[out] = value;
    m[out + 1] = length;
    out += 2;
  }
  m[63] = out;
}

KERNEL(balanced_brackets) {
  I depth = 0, deepest = 0;
  for (auto i : range(n + 4)) {
    if (m[i] < 5) {
      if (++depth > deepest) deepest = depth;
    } else if (depth == 0) {
      m[60] = i;
      return;
    } else --depth;
  }
  m[61] = depth;
  m[62] = deepest;
}

KERNEL(edit_distance) {
  I size = n < 6 ? n : I(6);
  for (auto j : range(size + 1)) m[40 + j] = j;
  for (I i = 1; i <= size; ++i) {
    I diagonal = m[40];
    m[40] = i;
    for (I j = 1; j <= size; ++j) {
      I cost = m[i] % 3 == m[20 + j] % 3 ? I(0) : I(1);
      I above = m[40 + j];
      m[40 + j] = std::min(std::min(above, I(m[39 + j])) + 1, diagonal + cost);
      diagonal = above;
    }
  }
  m[63] = m[40 + size];
}

KERNEL(state_machine) {
  // 0 between words, 1 in a word, 2 in a number, 3 wrong
  I state = 0, words = 0, numbers = 0;
  for (auto i : range(n + 8)) {
    I c = m[i];
    if (state == 0) {
      if (c < 0) continue;
      if (c < 7) {
        state = 1;
        ++words;
      } else {
        state = 2;
        ++numbers;
      }
    } else if (state == 1) {
      if (c < 0) state = 0;
      else if (c > 12) state = 3;
    } else if (state == 2) {
      if (c < 0) state = 0;
      else if (c < 7) state = 3;
    } else {
      break;
    }
  }
  m[61] = state;
  m[62] = words;
  m[63] = numbers;
}

KERNEL(interpreter_of_a_small_machine) {
  I pc = 0, a = x, b = y, fuel = 40;
  while (fuel > 0) {
    --fuel;
    I op = m[pc] & 7;
    ++pc;
    if (op == 0) a += b;
    else if (op == 1) a -= b;
    else if (op == 2) std::swap(a, b);
    else if (op == 3) {
      if (a < 0) pc += 2;
    } else if (op == 4) {
      m[48 + (pc & 7)] = a;
      continue;
    } else if (op == 5) b = m[a];
    else if (op == 6) {
      if (pc > 20) break;
      pc -= 1;
      b += 1;
    } else return;
    if (a > 1000) a -= 1000;
  }
  m[62] = a;
  m[63] = pc;
}

KERNEL(queue_in_a_ring) {
  I head = 0, tail = 0, steps = 0;
  m[32 + (tail & 15)] = x;
  ++tail;
  while (head != tail && steps < 20) {
    I v = m[32 + (head & 15)];
    ++head;
    ++steps;
    if (v > 12) continue;
    m[32 + (tail & 15)] = v + 3;
    ++tail;
    if (v < y && tail - head < 10) {
      m[32 + (tail & 15)] = v + 5;
      ++tail;
    }
  }
  m[62] = steps;
  m[63] = tail - head;
}

// ---- floating point: the same bits, so only what IEEE 754 rounds correctly

FLOAT_KERNEL(newton_square_root, float) {
  F v = x * x + 2.0f;
  F guess = v;
  for (I i = 0; i < 20; ++i) {
    F next = (guess + v / guess) * 0.5f;
    if (!(next < guess)) break;
    guess = next;
  }
  m[0] = guess;
}

FLOAT_KERNEL(mandelbrot, float) {
  F cr = x * 0.2f, ci = y * 0.1f;
  F zr = 0, zi = 0;
  I i = 0;
  while (i < 50) {
    F rr = zr * zr, ii = zi * zi;
    if (rr + ii > 4.0f) break;
    zi = 2.0f * zr * zi + ci;
    zr = rr - ii + cr;
    ++i;
  }
  m[0] = to<F>(i);
  m[1] = zr;
}

FLOAT_KERNEL(horner, double) {
  F sum = 0;
  for (auto i : range(n)) sum = sum * x + m[i];
  m[63] = sum;
}

FLOAT_KERNEL(bisection, double) {
  F low = 0, high = 10;
  const auto f = [&](const F& v) { return v * v * v - x * x - 1.0; };
  I steps = 0;
  while (high - low > 0.001 && steps < 60) {
    F middle = (low + high) / 2;
    if (f(middle) == 0.0) {
      low = middle;
      break;
    }
    if (f(middle) < 0.0) low = middle;
    else high = middle;
    ++steps;
  }
  m[0] = low;
  m[1] = to<F>(steps);
}

FLOAT_KERNEL(simpson_rule, double) {
  I parts = n * 2 + 2;
  F h = (x - y) / to<F>(parts);
  F sum = 0;
  for (auto i : range(parts + 1)) {
    F t = y + h * to<F>(i);
    F f = t * t / (1.0 + t * t);
    if (i == 0 || i == parts) sum += f;
    else if (i % 2 == 1) sum += 4.0 * f;
    else sum += 2.0 * f;
  }
  m[0] = sum * h / 3.0;
}

FLOAT_KERNEL(steps_that_adapt, double) {
  F t = 0, v = x + 0.5, h = 0.25;
  I count = 0;
  while (t < 2.0 && count < 100) {
    F whole = v + h * (y - v);
    F half = v + h * 0.5 * (y - v);
    half = half + h * 0.5 * (y - half);
    F error = whole < half ? half - whole : whole - half;
    ++count;
    if (error > 0.05 && h > 0.01) {
      h = h * 0.5;
      continue;
    }
    v = half;
    t += h;
    if (error < 0.005) h = std::min(h * 2.0, F(0.5));
  }
  m[0] = v;
  m[1] = to<F>(count);
}

FLOAT_KERNEL(nearest_of_many_points, float) {
  F best = 1e30f;
  I at = -1;
  for (auto i : range(n)) {
    F dx = m[i] - x, dy = m[i + 16] - y;
    F d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      at = i;
    }
  }
  m[62] = best;
  m[63] = to<F>(at);
}

FLOAT_KERNEL(quadratic_roots, float) {
  using std::sqrt;
  F a = to<F>(n) - 2.0f, b = x, c = y;
  if (a == 0.0f) {
    if (b == 0.0f) return;
    m[0] = -c / b;
    return;
  }
  F d = b * b - 4.0f * a * c;
  if (d < 0.0f) {
    m[1] = d;
    return;
  }
  F root = sqrt(d);
  F q = b < 0.0f ? (root - b) * 0.5f : (-b - root) * 0.5f;
  m[2] = q / a;
  if (q != 0.0f) m[3] = c / q;
}

FLOAT_KERNEL(comparisons_with_nan, float) {
  F bad = (x - x) / (y - y);
  I r = 0;
  if (bad < x) r += 1;
  if (!(bad < x)) r += 2;
  if (bad == bad) r += 4;
  if (bad != bad) r += 8;
  if (x < y || bad > y) r += 16;
  m[0] = to<F>(r);
  m[1] = std::max(x, bad) == x ? F(1) : F(0);
}

FLOAT_KERNEL(smoothing_with_a_window, float) {
  F left = m[0];
  for (auto i : range(1, n + 1)) {
    F here = m[i];
    F right = m[i + 1];
    F smooth = left * 0.25f + here * 0.5f + right * 0.25f;
    if (smooth > here + x) smooth = here + x;
    else if (smooth < here - y) smooth = here - y;
    m[i] = smooth;
    left = here;
  }
}

FLOAT_KERNEL(tile_of_four_sums, float) {
  std::array<F, 4> sum{};
  for (auto i : range(n)) {
    F v = m[i];
    for (std::size_t k = 0; k < sum.size(); ++k) {
      if (v < x) sum[k] += v * m[i + 8 + static_cast<int>(k)];
      else sum[k] -= y;
    }
  }
  m[60] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace
