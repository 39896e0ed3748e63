#include "row_parts.hpp"

#include "body.hpp"
#include "graph_walk.hpp"
#include "regions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Opcode;
using ir::Variable;

constexpr unsigned axes = 2;

// thread_index of an axis, plus a number, without wrapping.
struct Coordinate {
  unsigned axis = 0;
  std::uint64_t offset = 0;
};

class Rows {
 public:
  explicit Rows(const Region& region) : region_(region), graph_(region.graph), maker_(graph_.variables.size(), nullptr) {
    std::vector<std::uint8_t> definitions = count_definitions(graph_);
    for (const Variable v : region.inherited) definitions[v] = 2;
    for (const ir::Block& block : graph_.blocks)
      for (const ir::Operation& op : block.operations)
        if (const Variable v = defined_by(op); v != ir::no_variable && definitions[v] == 1) maker_[v] = &op;
    for (unsigned axis = 0; axis != axes; ++axis)
      if (const std::uint32_t size = graph_.attributes.block[axis]; size != 0) end_[axis] = size;
  }

  std::vector<RowPart> cut() {
    for (const ir::Block& block : graph_.blocks)
      if (block.terminator.kind == ir::TerminatorKind::branch) find_points(block.terminator.condition);
    for (std::vector<std::uint32_t>& points : points_) {
      std::ranges::sort(points);
      points.erase(std::unique(points.begin(), points.end()), points.end());
    }
    drop_points_of_large_code();
    std::vector<RowPart> parts;
    for (std::size_t i = 0; i <= points_[0].size(); ++i) {
      const bool few = RowPart{{from_of(0, i), 0}, {end_of(0, i), 0}}.few();
      for (std::size_t j = 0; j <= (few ? 0 : points_[1].size()); ++j)
        parts.push_back(part({{from_of(0, i), from_of(1, j)}, {end_of(0, i), few ? RowPart::no_end : end_of(1, j)}}));
    }
    return parts;
  }

 private:
  std::uint32_t from_of(unsigned axis, std::size_t i) const { return i == 0 ? 0 : points_[axis][i - 1]; }
  std::uint32_t end_of(unsigned axis, std::size_t i) const { return i == points_[axis].size() ? RowPart::no_end : points_[axis][i]; }

  // Each part is compiled, with the functions that it calls.
  void drop_points_of_large_code() {
    if (!graph_.functions.empty()) return points_.fill({});
    constexpr std::size_t most_points = 3, most_operations = 1000;
    std::size_t operations = 0;
    for (const ir::Block& block : graph_.blocks) operations += block.operations.size() + 1;
    for (unsigned axis = axes; axis-- > 0;) {
      const std::size_t parts = (points_[0].size() + 1) * (points_[1].size() + 1);
      if (points_[axis].size() > most_points || (parts > 1 && parts * operations > most_operations)) points_[axis].clear();
    }
  }

  // ---- conditions

  std::optional<std::uint64_t> constant(Variable v) const {
    if (maker_[v] == nullptr || maker_[v]->opcode != Opcode::constant) return std::nullopt;
    return maker_[v]->immediate;
  }
  std::optional<Coordinate> coordinate(Variable v) const {
    if (maker_[v] == nullptr) return std::nullopt;
    const ir::Operation& op = *maker_[v];
    const ir::Type type = graph_.variables[v];
    if (!ir::is_integer(type) || ir::bits_of(type) < 32 || ir::bits_of(type) > 64) return std::nullopt;
    switch (op.opcode) {
      case Opcode::thread_index:
        if (op.immediate >= axes) return std::nullopt;
        return Coordinate{static_cast<unsigned>(op.immediate), 0};
      case Opcode::copy:
      case Opcode::cast:
        return coordinate(op.operands[0]);
      case Opcode::add:
        for (unsigned i = 0; i != 2; ++i)
          if (const auto more = constant(op.operands[i]); more && *more < RowPart::no_end)
            if (const auto c = coordinate(op.operands[1 - i]); c && c->offset + *more < RowPart::no_end)
              return Coordinate{c->axis, c->offset + *more};
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // A comparison of a coordinate with a number, which is not negative: the first coordinates from which on it may change.
  struct Comparison {
    Opcode opcode;
    bool swapped;  // the number is the left operand
    Coordinate coordinate;
    std::uint64_t number;
  };
  std::optional<Comparison> comparison(const ir::Operation& op) const {
    if (op.opcode != Opcode::less && op.opcode != Opcode::less_equal && op.opcode != Opcode::equal && op.opcode != Opcode::not_equal)
      return std::nullopt;
    for (unsigned i = 0; i != 2; ++i)
      if (const auto number = constant(op.operands[i]); number && *number < RowPart::no_end)
        if (const auto c = coordinate(op.operands[1 - i])) return Comparison{op.opcode, i == 0, *c, *number};
    return std::nullopt;
  }
  static bool holds(const Comparison& c, std::uint64_t place) {
    const std::uint64_t x = place + c.coordinate.offset, left = c.swapped ? c.number : x, right = c.swapped ? x : c.number;
    switch (c.opcode) {
      case Opcode::less:
        return left < right;
      case Opcode::less_equal:
        return left <= right;
      case Opcode::equal:
        return left == right;
      default:
        return left != right;
    }
  }

  void find_points(Variable condition) {
    if (maker_[condition] == nullptr) return;
    const ir::Operation& op = *maker_[condition];
    if (is_logic(op.opcode)) return each_use(op, [&](Variable v) { find_points(v); });
    const auto c = comparison(op);
    if (!c) return;
    for (const std::uint64_t x : {c->number, c->number + 1}) {
      const std::uint64_t point = x - c->coordinate.offset;
      if (x <= c->coordinate.offset || point >= end_[c->coordinate.axis]) continue;
      if (holds(*c, point) != holds(*c, point - 1)) points_[c->coordinate.axis].push_back(static_cast<std::uint32_t>(point));
    }
  }
  static bool is_logic(Opcode opcode) {
    return opcode == Opcode::bit_and || opcode == Opcode::bit_or || opcode == Opcode::bit_not || opcode == Opcode::copy;
  }

  // What a condition is for all threads of a part, if it is one thing.
  std::optional<bool> decided(Variable condition, const RowPart& part) const {
    if (maker_[condition] == nullptr) return std::nullopt;
    const ir::Operation& op = *maker_[condition];
    if (is_logic(op.opcode)) {
      const auto first = decided(op.operands[0], part);
      if (op.opcode == Opcode::copy) return first;
      if (op.opcode == Opcode::bit_not) return first ? std::optional(!*first) : first;
      const bool decisive = op.opcode == Opcode::bit_or;
      if (first == decisive) return first;
      const auto second = decided(op.operands[1], part);
      if (second == decisive) return second;
      return first ? second : std::nullopt;
    }
    const auto c = comparison(op);
    if (!c) return std::nullopt;
    const unsigned axis = c->coordinate.axis;
    const std::uint32_t from = part.from[axis], last = std::min(part.end[axis], end_[axis]) - 1;
    const bool first = holds(*c, from);
    if (c->opcode == Opcode::equal || c->opcode == Opcode::not_equal) {
      const std::uint64_t changes = c->number - c->coordinate.offset;
      if (from != last && c->number >= c->coordinate.offset && from <= changes && changes <= last) return std::nullopt;
      return first;
    }
    return first == holds(*c, last) ? std::optional(first) : std::nullopt;
  }

  RowPart part(RowPart p) const {
    p.graph = graph_;
    for (ir::Block& block : p.graph.blocks) {
      ir::Terminator& t = block.terminator;
      if (t.kind != ir::TerminatorKind::branch) continue;
      if (const auto side = decided(t.condition, p))
        t = {ir::TerminatorKind::jump, ir::no_variable, {t.targets[*side ? 0 : 1], 0}, t.location};
    }
    std::size_t site = 0;
    for (const oxide_fault_site& s : fault_sites(graph_)) {
      if (s.function != 0) break;  // the region's own come first
      ir::Operation& op = p.graph.blocks[s.block].operations[s.operation];
      if (passes(op, p)) op.opcode = Opcode::end;
      else p.sites.push_back(region_.sites[site]);
      ++site;
    }
    for (ir::Block& block : p.graph.blocks)
      std::erase_if(block.operations, [](const ir::Operation& op) { return op.opcode == Opcode::end; });
    return p;
  }
  bool passes(const ir::Operation& op, const RowPart& p) const {
    if (op.opcode != Opcode::check_index) return false;
    const auto c = coordinate(op.operands[0]);
    return c && std::uint64_t{std::min(p.end[c->axis], end_[c->axis])} - 1 + c->offset < op.immediate;
  }

  const Region& region_;
  const ir::Graph& graph_;
  std::vector<const ir::Operation*> maker_;  // of a variable that only one operation gives a value
  std::array<std::uint32_t, axes> end_{RowPart::no_end, RowPart::no_end};
  std::array<std::vector<std::uint32_t>, axes> points_;  // coordinates from which on a branch goes another way
};

}  // namespace

std::vector<RowPart> cut_rows(const Region& region) { return Rows(region).cut(); }

}  // namespace oxide::jit
