// Random kernels of threads together, on every device, against a model that runs all threads of a block in step: exchanges through shared
// memory, votes, operations of warps and of parts of them, in uniform loops and branches, in divergent branches, and with threads that end.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "language/support/devices.hpp"

namespace {

constexpr std::uint32_t variables = 4, most_threads = 128;

struct Statement {
  enum Kind {
    arithmetic,  // a = mix of b, c and number
    exchange,  // through shared memory: a = what the thread that b says had in c. Uniform
    vote,  // a = how many of the block have the lowest bit of b. Uniform
    ballot,  // of the lanes that are here: a = which have that bit of b
    reduce,  // of the lanes that are here: a = sum or largest of b
    match,  // of the lanes that are here: a = which have the same b % 4
    shuffle,  // a = b of another lane; all lanes of the warp
    uniform_loop,  // as often as the kernel's parameter says, plus number. Uniform
    uniform_if,  // by the parameter, or by a vote. Uniform
    divergent_if,  // by b
    divergent_loop,  // b % number times; the body has no operations of threads together
    leave  // threads with b % 8 == number end. At the top
  };
  Kind kind = arithmetic;
  std::uint32_t a = 0, b = 0, c = 0, number = 0;
  std::vector<Statement> body, otherwise;
};

// ---- programs

class Generator {
 public:
  Generator(std::uint64_t seed, bool leaves) : random_(seed), leaves_(leaves) {}

  std::vector<Statement> program() {
    std::vector<Statement> all;
    for (std::uint32_t n = 4 + below(6); n != 0; --n) {
      if (leaves_ && below(5) == 0) all.push_back(make(Statement::leave));
      else all.push_back(statement(true, true, 3));
    }
    return all;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Statement make(Statement::Kind kind) { return {kind, below(variables), below(variables), below(variables), below(8), {}, {}}; }
  std::vector<Statement> list(bool uniform, bool together, int depth) {
    std::vector<Statement> all;
    for (std::uint32_t n = 1 + below(3); n != 0; --n) all.push_back(statement(uniform, together, depth));
    return all;
  }
  // `uniform`: all threads of the block are here; `together`: it is known which lanes are.
  Statement statement(bool uniform, bool together, int depth) {
    std::vector<Statement::Kind> kinds{Statement::arithmetic, Statement::arithmetic};
    if (together) kinds.insert(kinds.end(), {Statement::ballot, Statement::reduce, Statement::match});
    if (uniform) kinds.insert(kinds.end(), {Statement::exchange, Statement::exchange, Statement::vote});
    if (uniform && !leaves_) kinds.push_back(Statement::shuffle);
    if (uniform && depth > 0) kinds.insert(kinds.end(), {Statement::uniform_loop, Statement::uniform_if});
    if (together && depth > 0) kinds.push_back(Statement::divergent_if);
    if (depth > 0) kinds.push_back(Statement::divergent_loop);
    Statement s = make(kinds[below(static_cast<std::uint32_t>(kinds.size()))]);
    switch (s.kind) {
      case Statement::uniform_loop:
        s.number %= 3;
        s.body = list(true, true, depth - 1);
        break;
      case Statement::uniform_if:
        s.body = list(true, true, depth - 1);
        if (below(2) == 0) s.otherwise = list(true, true, depth - 1);
        break;
      case Statement::divergent_if:
        s.body = list(false, true, depth - 1);
        if (below(2) == 0) s.otherwise = list(false, true, depth - 1);
        break;
      case Statement::divergent_loop:
        s.body = list(false, false, depth - 1);
        break;
      default:
        break;
    }
    return s;
  }

  std::mt19937_64 random_;
  bool leaves_;
};

// ---- the kernel

struct Thread {
  std::vector<ox::u32> v;
  ox::u32 t, parameter;
  const ox::Shared<std::uint32_t, most_threads>& tile;
};

void trace(const std::vector<Statement>& all, Thread& th, const ox::u32& lanes);

void trace(const Statement& s, Thread& th, const ox::u32& lanes) {
  ox::u32 &a = th.v[s.a], &b = th.v[s.b], &c = th.v[s.c];
  const ox::u32 n = ox::block_dim.x();
  switch (s.kind) {
    case Statement::arithmetic:
      if (s.number < 3) a = b * 2654435761u + (c ^ s.number);
      else if (s.number < 6) a = (b >> (s.number + 1)) - c * 5u;
      else a = ox::max(b, c) ^ th.t;
      return;
    case Statement::exchange: {
      ox::sync_threads();
      th.tile[(th.t + s.number) % n] = c;
      ox::sync_threads();
      ox::u32 from = b % n;
      a = th.tile[from];
      return;
    }
    case Statement::vote:
      a = ox::sync_threads_count((b & 1u) != 0u);
      return;
    case Statement::ballot:
      a = ox::warp::ballot((b & 1u) != 0u, lanes);
      return;
    case Statement::reduce:
      a = s.number % 2 == 0 ? ox::warp::reduce_add(b, lanes) : ox::warp::reduce_max(b, lanes);
      return;
    case Statement::match:
      a = ox::warp::match_any(b % 4u, lanes);
      return;
    case Statement::shuffle:
      a = s.number < 4 ? ox::warp::shfl_xor(b, 1u << s.number) : ox::warp::shfl(b, c % 32u);
      return;
    case Statement::uniform_loop:
      for (auto i : ox::range(th.parameter + s.number)) {
        th.v[s.c] += i;
        trace(s.body, th, lanes);
      }
      return;
    case Statement::uniform_if: {
      ox::boolean yes = s.number % 2 == 0 ? (th.parameter & 1u) == 0u : ox::sync_threads_or(b % 16u == 3u);
      if (yes) trace(s.body, th, lanes);
      else trace(s.otherwise, th, lanes);
      return;
    }
    case Statement::divergent_if: {
      ox::boolean yes = b % 8u <= s.number;
      const ox::u32 ours = ox::warp::ballot(yes, lanes), others = lanes & ~ours;
      if (yes) trace(s.body, th, ours);
      else trace(s.otherwise, th, others);
      return;
    }
    case Statement::divergent_loop:
      for (auto i : ox::range(b % (s.number + 1u))) {
        th.v[s.c] ^= i;
        trace(s.body, th, lanes);
      }
      return;
    case Statement::leave:
      return;
  }
}
void trace(const std::vector<Statement>& all, Thread& th, const ox::u32& lanes) {
  for (const Statement& s : all) trace(s, th, lanes);
}

std::vector<std::uint32_t> run(const ox::Stream& stream, const std::vector<Statement>& program, std::uint32_t blocks, std::uint32_t threads,
                               std::uint32_t parameter) {
  const auto kernel = ox::kernel("random_simt", [&program](ox::u32 repeats, ox::Span<std::uint32_t> out) {
    ox::Shared<std::uint32_t, most_threads> tile;
    const ox::u32 t = ox::thread_idx.x(), i = ox::block_idx.x() * ox::block_dim.x() + t;
    Thread th{{}, t, repeats, tile};
    for (std::uint32_t k = 0; k != variables; ++k) th.v.push_back(i * 0x9e3779b9u + k * 77u);
    th.tile[t] = i;
    ox::u32 lanes = ox::warp::ballot(true, 0xffffffffu);  // those that there are
    for (const Statement& s : program) {
      if (s.kind == Statement::leave) {
        if (th.v[s.b] % 8u == s.number) return;
        lanes = ox::warp::ballot(true, 0xffffffffu);
      } else {
        trace(s, th, lanes);
      }
    }
    ox::u32 sum = 0;
    for (std::uint32_t k = 0; k != variables; ++k) sum = sum * 31u + th.v[k];
    out.unchecked_mut(i) = sum;
  });
  auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, blocks * threads);
  kernel(stream, ox::LaunchConfig{.grid = blocks, .block = threads}, parameter, out);
  return out.to_host(stream);
}

// ---- the model

class Block {
 public:
  Block(std::uint32_t number, std::uint32_t threads, std::uint32_t parameter)
      : first_(number * threads), threads_(threads), parameter_(parameter), alive_(threads, true), tile_(most_threads) {
    for (std::uint32_t k = 0; k != variables; ++k)
      for (std::uint32_t t = 0; t != threads; ++t) v_[k].push_back((first_ + t) * 0x9e3779b9u + k * 77u);
    for (std::uint32_t t = 0; t != threads; ++t) tile_[t] = first_ + t;
  }

  void run(const std::vector<Statement>& program, std::vector<std::uint32_t>& out) {
    for (const Statement& s : program) {
      if (s.kind != Statement::leave) {
        run(s, alive_);
        continue;
      }
      for (std::uint32_t t = 0; t != threads_; ++t)
        if (v_[s.b][t] % 8 == s.number) alive_[t] = false;
    }
    for (std::uint32_t t = 0; t != threads_; ++t) {
      if (!alive_[t]) continue;
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k != variables; ++k) sum = sum * 31 + v_[k][t];
      out[first_ + t] = sum;
    }
  }

 private:
  using Active = std::vector<bool>;

  template <class F>
  void each(const Active& active, F f) {
    for (std::uint32_t t = 0; t != threads_; ++t)
      if (active[t]) f(t);
  }
  // Of the lanes of a thread's warp that are here: the bits of those for which `is` holds.
  template <class F>
  std::uint32_t lanes(const Active& active, std::uint32_t t, F is) const {
    std::uint32_t bits = 0;
    for (std::uint32_t o = t / 32 * 32; o != threads_ && o != t / 32 * 32 + 32; ++o)
      if (active[o] && is(o)) bits |= 1u << (o % 32);
    return bits;
  }

  void run(const std::vector<Statement>& all, const Active& active) {
    for (const Statement& s : all) run(s, active);
  }
  void run(const Statement& s, const Active& active) {
    std::vector<std::uint32_t>& a = v_[s.a];
    const std::vector<std::uint32_t> b = v_[s.b], c = v_[s.c];
    switch (s.kind) {
      case Statement::arithmetic:
        return each(active, [&](std::uint32_t t) {
          a[t] = s.number < 3   ? b[t] * 2654435761u + (c[t] ^ s.number)
                 : s.number < 6 ? (b[t] >> (s.number + 1)) - c[t] * 5
                                : std::max(b[t], c[t]) ^ t;
        });
      case Statement::exchange:
        each(active, [&](std::uint32_t t) { tile_[(t + s.number) % threads_] = c[t]; });
        return each(active, [&](std::uint32_t t) { a[t] = tile_[b[t] % threads_]; });
      case Statement::vote: {
        std::uint32_t count = 0;
        each(active, [&](std::uint32_t t) { count += b[t] & 1; });
        return each(active, [&](std::uint32_t t) { a[t] = count; });
      }
      case Statement::ballot:
        return each(active, [&](std::uint32_t t) { a[t] = lanes(active, t, [&](std::uint32_t o) { return (b[o] & 1) != 0; }); });
      case Statement::reduce:
        return each(active, [&](std::uint32_t t) {
          std::uint32_t sum = 0, most = 0;
          lanes(active, t, [&](std::uint32_t o) { return sum += b[o], most = std::max(most, b[o]), true; });
          a[t] = s.number % 2 == 0 ? sum : most;
        });
      case Statement::match:
        return each(active, [&](std::uint32_t t) { a[t] = lanes(active, t, [&](std::uint32_t o) { return b[o] % 4 == b[t] % 4; }); });
      case Statement::shuffle:
        return each(active, [&](std::uint32_t t) { a[t] = b[s.number < 4 ? t ^ (1u << s.number) : t / 32 * 32 + c[t] % 32]; });
      case Statement::uniform_loop:
        for (std::uint32_t i = 0; i != parameter_ + s.number; ++i) {
          each(active, [&](std::uint32_t t) { v_[s.c][t] += i; });
          run(s.body, active);
        }
        return;
      case Statement::uniform_if: {
        bool yes = (parameter_ & 1) == 0;
        if (s.number % 2 != 0) {
          yes = false;
          each(active, [&](std::uint32_t t) { yes |= b[t] % 16 == 3; });
        }
        return run(yes ? s.body : s.otherwise, active);
      }
      case Statement::divergent_if: {
        Active yes(threads_), no(threads_);
        each(active, [&](std::uint32_t t) { (b[t] % 8 <= s.number ? yes : no)[t] = true; });
        run(s.body, yes);
        return run(s.otherwise, no);
      }
      case Statement::divergent_loop:
        for (std::uint32_t i = 0; i != s.number; ++i) {
          Active here(threads_);
          each(active, [&](std::uint32_t t) { here[t] = i < b[t] % (s.number + 1); });
          each(here, [&](std::uint32_t t) { v_[s.c][t] ^= i; });
          run(s.body, here);
        }
        return;
      case Statement::leave:
        return;
    }
  }

  std::uint32_t first_, threads_, parameter_;
  Active alive_;
  std::vector<std::uint32_t> tile_, v_[variables];
};

void check(std::uint64_t seed, bool leaves, const std::vector<std::uint32_t>& sizes) {
  const std::vector<Statement> program = Generator(seed, leaves).program();
  on_every_device([&](const ox::Stream& stream) {
    for (const std::uint32_t threads : sizes)
      for (const std::uint32_t parameter : {0u, 1u, 2u}) {
        constexpr std::uint32_t blocks = 2;
        std::vector<std::uint32_t> expected(blocks * threads, 0);
        for (std::uint32_t b = 0; b != blocks; ++b) Block(b, threads, parameter).run(program, expected);
        INFO("seed " << seed << (leaves ? ", with threads that end" : "") << ", block " << threads << ", parameter " << parameter);
        CHECK(run(stream, program, blocks, threads, parameter) == expected);
      }
  });
}

// OXIDE_SIMT_PROGRAMS and OXIDE_SIMT_SEED ask for more of them.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("random kernels of threads together give what a model gives") {
  const std::uint64_t first = setting("OXIDE_SIMT_SEED", 1), programs = setting("OXIDE_SIMT_PROGRAMS", 12);
  for (std::uint64_t seed = first; seed != first + programs; ++seed) {
    check(seed, false, {32, 128});  // a lane's value is known only of lanes that there are
    check(seed, true, {1, 33, 100});
  }
}
