#include "plain_rows.hpp"

#include "body.hpp"
#include "graph_walk.hpp"
#include "regions.hpp"
#include "row_parts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Opcode;
using ir::Variable;
using Limit = PlainRow::Limit;

// Of each variable that one operation gives a value: that operation.
std::vector<const ir::Operation*> makers(const ir::Graph& graph, const std::vector<Variable>& inherited) {
  std::vector<std::uint8_t> definitions = count_definitions(graph);
  for (const Variable v : inherited) definitions[v] = 2;
  std::vector<const ir::Operation*> makers(graph.variables.size(), nullptr);
  for (const ir::Block& block : graph.blocks)
    for (const ir::Operation& op : block.operations)
      if (const Variable v = defined_by(op); v != ir::no_variable && definitions[v] == 1) makers[v] = &op;
  return makers;
}

// How values change from a thread of a row to the next.
class Changes {
 public:
  enum Change : std::uint8_t { unknown, none, by_one, other };

  Changes(const ir::Graph& graph, const std::vector<const ir::Operation*>& maker)
      : graph_(graph), maker_(maker), change_(graph.variables.size(), unknown) {}

  Change of(Variable v) {
    if (change_[v] == unknown) {
      change_[v] = other;
      if (maker_[v] != nullptr) change_[v] = of(*maker_[v]);
    }
    return change_[v];
  }
  static bool is_index(ir::Type type) { return ir::is_integer(type) && (ir::bits_of(type) == 32 || ir::bits_of(type) == 64); }

 private:
  Change of(const ir::Operation& op) {
    if (ir::row_of(op.opcode).effect != ir::Effect::pure) return other;
    if (op.opcode == Opcode::thread_index) return op.immediate == 0 ? by_one : none;
    if (op.opcode == Opcode::lane_index || op.opcode == Opcode::warp_index || op.opcode == Opcode::shared_address) return other;
    bool same = true;
    each_use(op, [&](Variable used) { same &= of(used) == none; });
    if (same) return none;
    if (!is_index(op.type)) return other;
    const auto first = of(op.operands[0]);
    switch (op.opcode) {
      case Opcode::copy:
        return first;
      case Opcode::cast:
        return is_index(graph_.variables[op.operands[0]]) ? first : other;
      case Opcode::sub:
        return first == by_one && of(op.operands[1]) == none ? by_one : other;
      case Opcode::add:
      case Opcode::min:
      case Opcode::max: {
        const Change second = of(op.operands[1]);
        return (first == by_one && second == none) || (first == none && second == by_one) ? by_one : other;
      }
      default:
        return other;
    }
  }

  const ir::Graph& graph_;
  const std::vector<const ir::Operation*>& maker_;
  std::vector<Change> change_;
};

class Finder {
 public:
  Finder(const Region& region, const RowPart& part)
      : region_(region), sites_(part.sites), graph_(part.graph), maker_(makers(graph_, region.inherited)), changes_(graph_, maker_),
        plain_(graph_.variables.size(), false), unclamped_(graph_.variables.size(), ir::no_variable) {}

  std::optional<PlainRow> run() {
    constexpr std::size_t most_limits = 64;  // computed for each row
    if (!graph_.functions.empty()) return std::nullopt;
    out_.graph = graph_;
    visit_code();
    if (!simpler_ || one_by_one_ || out_.limits.size() > most_limits) return std::nullopt;
    simplify();
    compute_values();
    return std::move(out_);
  }

 private:
  // What has to hold for a value to grow by one without wrapping; clamps are taken out.
  void make_plain(Variable v) {
    if (changes_.of(v) != Changes::by_one || plain_[v]) return;
    plain_[v] = true;
    const ir::Operation& op = *maker_[v];
    if (op.opcode == Opcode::thread_index) return;
    const bool second = changes_.of(op.operands[0]) != Changes::by_one;
    const Variable value = op.operands[second ? 1 : 0];
    make_plain(value);
    const auto does_not_wrap = [&] {
      out_.limits.push_back({.kind = Limit::at_most, .value = value, .grows = true, .number = greatest(graph_.variables[value])});
    };
    if (op.opcode == Opcode::cast && ir::bits_of(op.type) > ir::bits_of(graph_.variables[value])) does_not_wrap();
    if (op.opcode != Opcode::min && op.opcode != Opcode::max) return;
    does_not_wrap();
    out_.limits.push_back({.kind = op.opcode == Opcode::min ? Limit::at_most : Limit::at_least,
                           .value = value,
                           .grows = true,
                           .variable = op.operands[second ? 0 : 1]});
    unclamped_[v] = value;
    simpler_ = true;
  }
  static std::uint64_t greatest(ir::Type type) {
    return std::numeric_limits<std::uint64_t>::max() >> (64 - ir::bits_of(type) + (ir::is_signed_integer(type) ? 1 : 0));
  }

  bool can_be_limited(Variable v) {
    const auto change = changes_.of(v);
    return Changes::is_index(graph_.variables[v]) && (change == Changes::none || change == Changes::by_one);
  }
  void limit(Limit l) {
    l.grows = changes_.of(l.value) == Changes::by_one;
    make_plain(l.value);
    out_.limits.push_back(l);
    simpler_ = true;
  }

  // ---- code: what is reached where the limits hold

  void visit_code() {
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::uint32_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const ir::Operation& op : graph_.blocks[b].operations) visit(op);
      ir::Terminator& t = out_.graph.blocks[b].terminator;
      if (t.kind == ir::TerminatorKind::branch)
        if (const auto side = guard(t)) t = {ir::TerminatorKind::jump, ir::no_variable, {t.targets[*side ? 0 : 1], 0}, t.location};
      for (unsigned i = 0; i != target_count(t); ++i)
        if (!seen[t.targets[i]]) seen[t.targets[i]] = true, work.push_back(t.targets[i]);
    }
  }
  void visit(const ir::Operation& op) {
    const ir::Effect effect = ir::row_of(op.opcode).effect;
    if (op.opcode != Opcode::unroll)
      one_by_one_ = one_by_one_ || effect == ir::Effect::atomic || effect == ir::Effect::acts || effect == ir::Effect::fences;
    if (op.opcode == Opcode::load || op.opcode == Opcode::store) return make_plain(op.operands[0]);
    const bool of_memory = op.opcode == Opcode::check_bounds;
    if ((!of_memory && op.opcode != Opcode::check_index) || !can_be_limited(op.operands[0])) return;
    Limit l{.kind = Limit::below, .value = op.operands[0], .number = op.immediate};
    if (of_memory) l.memory = ir::memory_number(op.immediate);
    limit(l);
    passing_.push_back(&op);
  }
  // The side that threads before the end of the data take, of a branch that looks like a guard.
  std::optional<bool> guard(const ir::Terminator& t) {
    bool side = true;
    Variable condition = t.condition;
    for (; maker_[condition] != nullptr && maker_[condition]->opcode == Opcode::bit_not; condition = maker_[condition]->operands[0])
      side = !side;
    if (maker_[condition] == nullptr) return std::nullopt;
    const ir::Operation& op = *maker_[condition];
    const bool strict = op.opcode == Opcode::less;
    if (!strict && op.opcode != Opcode::less_equal) return std::nullopt;
    const Variable left = op.operands[0], right = op.operands[1];
    if (!can_be_limited(left) || !can_be_limited(right)) return std::nullopt;
    const bool one_side_ends = ends(t.targets[0]) || ends(t.targets[1]);
    if (changes_.of(right) == Changes::none && (changes_.of(left) == Changes::by_one || one_side_ends)) {  // i < n
      limit({.kind = strict ? Limit::below : Limit::at_most, .value = left, .variable = right});
      return side;
    }
    if (changes_.of(left) == Changes::none && one_side_ends) {  // if (i >= n) return
      limit({.kind = strict ? Limit::at_most : Limit::below, .value = right, .variable = left});
      return !side;
    }
    return std::nullopt;
  }
  // Whether a block has nothing to do.
  bool ends(std::uint32_t b) const {
    return graph_.blocks[b].operations.empty() && graph_.blocks[b].terminator.kind == ir::TerminatorKind::exit;
  }

  // ---- results

  bool passes(const ir::Operation& op) const { return std::ranges::find(passing_, &op) != passing_.end(); }
  void simplify() {
    std::size_t site = 0;
    for (const oxide_fault_site& s : fault_sites(graph_))
      if (const std::uint32_t number = sites_[site++]; !passes(graph_.blocks[s.block].operations[s.operation]))
        out_.sites.push_back(number);
    for (std::size_t b = 0; b != graph_.blocks.size(); ++b) {
      std::vector<ir::Operation>& operations = out_.graph.blocks[b].operations;
      operations.clear();
      for (const ir::Operation& op : graph_.blocks[b].operations) {
        if (passes(op)) continue;
        operations.push_back(op);
        if (const Variable v = defined_by(op); v != ir::no_variable && unclamped_[v] != ir::no_variable) {
          operations.back().opcode = Opcode::copy;
          operations.back().operands = {unclamped_[v], ir::no_variable, ir::no_variable};
        }
      }
    }
  }
  // The values that limits name, equal ones once; and of limits on one value those that are not implied.
  void compute_values() {
    out_.values = out_.graph;
    out_.values.blocks.assign(1, {});
    const std::vector<const ir::Operation*> maker = makers(out_.graph, region_.inherited);
    same_.assign(graph_.variables.size(), ir::no_variable);
    for (Limit& l : out_.limits) {
      l.value = compute(l.value, maker);
      if (l.variable != ir::no_variable) l.variable = compute(l.variable, maker);
    }
    std::vector<Limit> limits;
    for (const Limit& l : out_.limits)
      if (std::ranges::find(limits, l) == limits.end() && !(only_does_not_wrap(l) && bounded_elsewhere(l))) limits.push_back(l);
    out_.limits = std::move(limits);
  }
  Variable compute(Variable v, const std::vector<const ir::Operation*>& maker) {
    if (same_[v] != ir::no_variable) return same_[v];
    ir::Operation op = *maker[v];
    for (std::size_t i = 0; i != ir::row_of(op.opcode).operands; ++i) op.operands[i] = compute(op.operands[i], maker);
    if (op.opcode == Opcode::copy) return same_[v] = op.operands[0];
    const auto [at, is_new] = made_.try_emplace({op.opcode, op.type, op.immediate, op.operands}, v);
    if (is_new) out_.values.blocks[0].operations.push_back(op);
    return same_[v] = at->second;
  }
  bool only_does_not_wrap(const Limit& l) const {
    return l.kind == Limit::at_most && l.variable == ir::no_variable && !l.memory && l.number == greatest(graph_.variables[l.value]);
  }
  bool bounded_elsewhere(const Limit& l) const {
    return std::ranges::any_of(out_.limits, [&](const Limit& other) {
      return other.value == l.value && other.kind != Limit::at_least && !only_does_not_wrap(other);
    });
  }

  const Region& region_;
  const std::vector<std::uint32_t>& sites_;
  const ir::Graph& graph_;
  const std::vector<const ir::Operation*> maker_;
  Changes changes_;
  std::vector<bool> plain_;
  std::vector<Variable> unclamped_;            // of a clamped value: what it is without the clamp
  std::vector<const ir::Operation*> passing_;  // checks
  std::vector<Variable> same_;                 // of a value: the one that is computed
  std::map<std::tuple<Opcode, ir::Type, std::uint64_t, std::array<Variable, ir::max_operands>>, Variable> made_;
  bool simpler_ = false;
  bool one_by_one_ = false;  // threads do what cannot be done in step, beside which checks cost little
  PlainRow out_;
};

}  // namespace

std::optional<PlainRow> plain_row(const Region& region, const RowPart& part) { return Finder(region, part).run(); }

}  // namespace oxide::jit
