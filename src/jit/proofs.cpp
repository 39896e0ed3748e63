#include "proofs.hpp"

#include "body.hpp"
#include "graph_walk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Opcode;
using ir::Variable;

constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

// What is known of variables with one definition. Equal numbers are equal values: a pure operation's result is a function of its operands,
// wherever it is computed.
class Values {
 public:
  Values(const ir::Graph& graph, const std::vector<std::uint32_t>& order) : graph_(graph), known_(graph.variables.size()) {
    const std::vector<std::uint8_t> definitions = count_definitions(graph);
    for (const std::uint32_t b : order)
      for (const ir::Operation& op : graph.blocks[b].operations) {
        const Variable v = defined_by(op);
        if (v == ir::no_variable) continue;
        known_[v].number = ++last_;
        known_[v].most = most_of(graph.variables[v]);
        if (definitions[v] != 1 || op.opcode == Opcode::assign) continue;
        known_[v].changes = false;
        known_[v].constant = op.opcode == Opcode::constant;
        known_[v].most = std::min(known_[v].most, bound(op));
        if (ir::row_of(op.opcode).effect == ir::Effect::pure) known_[v].number = number(op, known_[v].number);
      }
  }

  struct Known {
    std::uint32_t number = 0;
    std::uint64_t most = unbounded;  // of an unsigned number
    bool constant = false;
    bool changes = true;             // has several definitions
  };
  const Known& operator[](Variable v) const { return known_[v]; }

 private:
  static std::uint64_t most_of(ir::Type type) {
    switch (type) {
      case ir::Type::u8:
        return 0xff;
      case ir::Type::u16:
        return 0xffff;
      case ir::Type::u32:
        return 0xffffffff;
      default:
        return unbounded;
    }
  }

  std::uint32_t number(const ir::Operation& op, std::uint32_t otherwise) {
    const ir::OpcodeRow& row = ir::row_of(op.opcode);
    std::array<std::uint32_t, ir::max_operands> operands{};
    for (std::size_t i = 0; i != row.operands; ++i) {
      if (known_[op.operands[i]].changes) return otherwise;
      operands[i] = known_[op.operands[i]].number;
    }
    if (op.opcode == Opcode::copy) return operands[0];
    return numbers_.try_emplace({op.opcode, op.type, op.immediate, operands}, otherwise).first->second;
  }

  bool constant(Variable v) const { return known_[v].constant; }
  std::uint64_t place(const ir::Operation& op, bool below) const {
    constexpr std::uint64_t largest[] = {1024, 1024, 64};
    const std::uint32_t set = graph_.attributes.block[op.immediate];
    return (set != 0 ? set : largest[op.immediate]) - (below ? 1 : 0);
  }
  // The greatest value that an operation may give, as far as it is plain. Numbers that may wrap are not bounded by it.
  std::uint64_t bound(const ir::Operation& op) const {
    if (op.opcode == Opcode::constant) return op.immediate;
    if (!ir::is_integer(op.type) || ir::is_signed_integer(op.type) || ir::bits_of(op.type) > 64) return unbounded;
    const auto x = [&](std::size_t i) { return known_[op.operands[i]].most; };
    const std::uint64_t limit = most_of(op.type);
    switch (op.opcode) {
      case Opcode::thread_index:
        return place(op, true);
      case Opcode::block_dim:
        return place(op, false);
      case Opcode::lane_index:
      case Opcode::warp_index:
        return 31;
      case Opcode::copy:
      case Opcode::bit_and:
      case Opcode::min:
        return op.opcode == Opcode::copy ? x(0) : std::min(x(0), x(1));
      case Opcode::max:
        return std::max(x(0), x(1));
      case Opcode::select:
        return std::max(x(1), x(2));
      case Opcode::add:
        return x(0) <= limit - std::min(limit, x(1)) ? x(0) + x(1) : unbounded;
      case Opcode::sub:
        return constant(op.operands[0]) && x(1) <= x(0) ? x(0) : unbounded;
      case Opcode::mul:
        return x(1) == 0 || x(0) <= limit / x(1) ? x(0) * x(1) : unbounded;
      case Opcode::div:
        return x(0);
      case Opcode::rem:
        return std::min(x(0), x(1) == 0 ? 0 : x(1) - 1);
      case Opcode::shift_left:
        return constant(op.operands[1]) && x(1) < 64 && x(0) <= limit >> x(1) ? x(0) << x(1) : unbounded;
      case Opcode::shift_right:
        return constant(op.operands[1]) && x(1) < ir::bits_of(op.type) ? x(0) >> x(1) : x(0);
      case Opcode::cast: {
        const ir::Type from = graph_.variables[op.operands[0]];
        const bool is_unsigned = ir::is_integer(from) && !ir::is_signed_integer(from) && ir::bits_of(from) <= 64;
        return is_unsigned && x(0) <= limit ? x(0) : unbounded;
      }
      default:
        return unbounded;
    }
  }

  const ir::Graph& graph_;
  std::vector<Known> known_;
  std::map<std::tuple<Opcode, ir::Type, std::uint64_t, std::array<std::uint32_t, ir::max_operands>>, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

// "value `number` is below a bound": a number, or the length of a memory.
struct Fact {
  std::uint32_t number;
  std::uint32_t memory;  // or no_memory
  std::uint64_t bound;
  auto operator<=>(const Fact&) const = default;
};
constexpr std::uint32_t no_memory = 0xffffffff;

class Prover {
 public:
  explicit Prover(const ir::Graph& graph) : graph_(graph), order_(reverse_post_order(graph.blocks)), values_(graph, order_) {}

  std::vector<bool> run() {
    find_facts();
    spread();
    const std::vector<oxide_fault_site> sites = fault_sites(graph_);
    std::vector<bool> proved(sites.size(), false);
    for (std::uint32_t s = 0; s != sites.size() && sites[s].function == 0; ++s) site_at_[{sites[s].block, sites[s].operation}] = s;
    for (const std::uint32_t b : order_) {
      std::vector<bool> known = before_[b];
      for (std::uint32_t i = 0; i != graph_.blocks[b].operations.size(); ++i) {
        const std::optional<Check> check = check_of(graph_.blocks[b].operations[i]);
        if (!check) continue;
        if (check->always || (check->fact && known[*check->fact])) proved[site_at_.at({b, i})] = true;
        else learn(known, *check);
      }
    }
    return proved;
  }

 private:
  struct Check {
    bool always = false;
    std::optional<std::size_t> fact;  // its place in facts_
  };

  static std::vector<std::uint32_t> reverse_post_order(const std::vector<ir::Block>& blocks) {
    std::vector<std::uint32_t> post;
    std::vector<std::uint8_t> visited(blocks.size(), 0);  // how many targets, plus one
    std::vector<std::uint32_t> stack{0};
    visited[0] = 1;
    while (!stack.empty()) {
      const std::uint32_t b = stack.back();
      if (visited[b] > target_count(blocks[b].terminator)) {
        post.push_back(b);
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = blocks[b].terminator.targets[visited[b]++ - 1u];
      if (visited[next] != 0) continue;
      visited[next] = 1;
      stack.push_back(next);
    }
    return {post.rbegin(), post.rend()};
  }

  std::optional<Fact> fact_of(const ir::Operation& op) const {
    if (op.opcode == Opcode::check_index) return Fact{values_[op.operands[0]].number, no_memory, op.immediate};
    if (op.opcode != Opcode::check_bounds) return std::nullopt;
    const std::uint32_t memory = ir::memory_number(op.immediate);
    const ir::Memory& m = graph_.memories[memory];
    const bool varies = m.kind == ir::MemoryKind::span || m.kind == ir::MemoryKind::dynamic_shared;
    return varies ? Fact{values_[op.operands[0]].number, memory, 0} : Fact{values_[op.operands[0]].number, no_memory, m.elements};
  }
  std::optional<Check> check_of(const ir::Operation& op) const {
    const std::optional<Fact> fact = fact_of(op);
    if (!fact) return std::nullopt;
    const Values::Known& index = values_[op.operands[0]];
    Check check{fact->memory == no_memory && index.most < fact->bound, {}};
    if (!index.changes) check.fact = static_cast<std::size_t>(std::lower_bound(facts_.begin(), facts_.end(), *fact) - facts_.begin());
    return check;
  }
  // A smaller bound says the same of larger ones, which follow it in facts_.
  void learn(std::vector<bool>& known, const Check& check) const {
    if (!check.fact) return;
    for (std::size_t f = *check.fact; f != facts_.size(); ++f) {
      if (facts_[f].number != facts_[*check.fact].number || facts_[f].memory != facts_[*check.fact].memory) return;
      known[f] = true;
    }
  }

  void find_facts() {
    for (const std::uint32_t b : order_)
      for (const ir::Operation& op : graph_.blocks[b].operations)
        if (const auto fact = fact_of(op)) facts_.push_back(*fact);
    std::sort(facts_.begin(), facts_.end());
    facts_.erase(std::unique(facts_.begin(), facts_.end()), facts_.end());
  }
  // What holds at the start of each block, on all ways there.
  void spread() {
    before_.assign(graph_.blocks.size(), std::vector<bool>(facts_.size(), true));
    before_[0].assign(facts_.size(), false);
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::uint32_t b : order_) {
        std::vector<bool> known = before_[b];
        for (const ir::Operation& op : graph_.blocks[b].operations)
          if (const auto check = check_of(op)) learn(known, *check);
        const ir::Terminator& t = graph_.blocks[b].terminator;
        for (unsigned i = 0; i != target_count(t); ++i) {
          std::vector<bool>& there = before_[t.targets[i]];
          for (std::size_t f = 0; f != known.size(); ++f)
            if (there[f] && !known[f]) there[f] = false, changed = true;
        }
      }
  }

  const ir::Graph& graph_;
  const std::vector<std::uint32_t> order_;
  const Values values_;
  std::vector<Fact> facts_;
  std::vector<std::vector<bool>> before_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> site_at_;
};

}  // namespace

std::vector<bool> proved_sites(const ir::Graph& graph) { return Prover(graph).run(); }

}  // namespace oxide::jit
