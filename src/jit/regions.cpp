#include "regions.hpp"

#include "body.hpp"
#include "fused_products.hpp"
#include "graph_walk.hpp"
#include "loops_in_step.hpp"
#include "proofs.hpp"
#include "variable_set.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Variable;
using Set = VariableSet;

// ---- cutting

class Cutter {
 public:
  Cutter(const ir::Graph& graph, bool fuses) {
    out_.graph = graph;
    if (fuses && graph.fp_mode == ir::FpMode::contract) fuse_products(out_.graph);
    for (const oxide_fault_site& site : fault_sites(out_.graph)) out_.function_sites += site.function == 0 ? 1 : 0;
    name_arrays();
    definitions_ = count_definitions(out_.graph);
    proved_ = proved_sites(out_.graph);
  }

  Regions run() {
    order_blocks();
    find_liveness();
    find_cheap();
    transfers_.assign(blocks().size(), false);
    if (by_block()) find_loops_in_step(out_.graph, order_, maker_, transfers_);
    find_points();
    share_code();
    out_.kept.resize(out_.graph.variables.size(), false);
    for (std::uint32_t p = 0; p != out_.points.size(); ++p) out_.regions.push_back(make_region(p));
    for (Region& region : out_.regions) keep_what_is_inherited(region);
    for (const Point& point : out_.points)
      if (point.collective) {
        each_use(point.operation, [&](Variable v) {
          if (!constant_of(v)) out_.kept[v] = true;
        });
        if (const Variable v = defined_by(point.operation); v != ir::no_variable) out_.kept[v] = true;
      }
    return std::move(out_);
  }

 private:
  // Code from an operation of a block on.
  struct Place {
    std::uint32_t block, operation;
    auto operator<=>(const Place&) const = default;
  };
  // Where a piece of straight code ends: before a collective operation or at the block's terminator.
  std::uint32_t end_of(const Place& p) const {
    const std::vector<ir::Operation>& operations = blocks()[p.block].operations;
    std::uint32_t i = p.operation;
    while (i != operations.size() && !is_collective(operations[i])) ++i;
    return i;
  }
  const std::vector<ir::Block>& blocks() const { return out_.graph.blocks; }

  // ---- arrays of the thread's own lie in memory that all regions see; each place that makes one has a variable of its own for it

  void name_arrays() {
    for (ir::Block& block : out_.graph.blocks) {
      std::vector<ir::Operation> operations;
      for (ir::Operation op : std::exchange(block.operations, {})) {
        ir::Operation copy;
        if (op.opcode == ir::Opcode::local_array) {
          copy = op;
          copy.opcode = ir::Opcode::copy;
          copy.immediate = 0;
          op.result = static_cast<Variable>(out_.graph.variables.size());
          out_.graph.variables.push_back(op.type);
          copy.operands = {op.result, ir::no_variable, ir::no_variable};
          out_.arrays.push_back({op.result, ir::array_shape(op.immediate)});
        }
        operations.push_back(op);
        if (op.opcode == ir::Opcode::local_array) operations.push_back(copy);
      }
      block.operations = std::move(operations);
    }
  }

  // ---- order: a loop's blocks before what follows the loop, so that threads that go on wait for those that do not

  bool reaches(std::uint32_t from, std::uint32_t to) const {
    std::vector<bool> seen(blocks().size(), false);
    std::vector<std::uint32_t> work{from};
    seen[from] = true;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (b == to) return true;
      for (unsigned i = 0; i != target_count(blocks()[b].terminator); ++i)
        if (const std::uint32_t t = blocks()[b].terminator.targets[i]; !seen[t]) seen[t] = true, work.push_back(t);
    }
    return false;
  }
  void order_blocks() {
    struct Visit {
      std::uint32_t block;
      std::array<std::uint32_t, 2> targets;
      unsigned left;
    };
    std::vector<std::uint32_t> post;
    std::vector<bool> seen(blocks().size(), false);
    const auto visit = [&](std::uint32_t b) {
      const ir::Terminator& t = blocks()[b].terminator;
      Visit v{b, t.targets, target_count(t)};
      // What is visited last comes first.
      if (v.left == 2 && reaches(v.targets[1], b) && !reaches(v.targets[0], b)) std::swap(v.targets[0], v.targets[1]);
      seen[b] = true;
      return v;
    };
    std::vector<Visit> stack{visit(0)};
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.left == 0) {
        post.push_back(top.block);
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = top.targets[--top.left];
      if (!seen[next]) stack.push_back(visit(next));
    }
    order_.assign(post.rbegin(), post.rend());
  }

  // ---- liveness

  void before(const ir::Operation& op, Set& live) const {
    if (const Variable v = defined_by(op); v != ir::no_variable) live.erase(v);
    each_use(op, [&](Variable v) { live.insert(v); });
  }
  Set live_at_end(std::uint32_t b) const {
    Set live(out_.graph.variables.size());
    const ir::Terminator& t = blocks()[b].terminator;
    for (unsigned i = 0; i != target_count(t); ++i) live.merge(live_in_[t.targets[i]]);
    if (t.kind == ir::TerminatorKind::branch) live.insert(t.condition);
    return live;
  }
  void find_liveness() {
    live_in_.assign(blocks().size(), Set(out_.graph.variables.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = order_.size(); k-- > 0;) {
        const std::uint32_t b = order_[k];
        Set live = live_at_end(b);
        for (std::size_t i = blocks()[b].operations.size(); i-- > 0;) before(blocks()[b].operations[i], live);
        changed |= live_in_[b].merge(live);
      }
    }
  }
  // What is live just before an operation.
  Set live_at(const Place& place) const {
    if (place.operation == 0) return live_in_[place.block];
    Set live = live_at_end(place.block);
    for (std::size_t i = blocks()[place.block].operations.size(); i-- > place.operation;) before(blocks()[place.block].operations[i], live);
    return live;
  }

  // ---- values that are made again rather than kept: constants, coordinates, and a little arithmetic on those. What is left is known to
  // the optimizer, which could not tell that an index read from memory grows by one from thread to thread.

  void find_cheap() {
    constexpr unsigned limit = 16;
    maker_.assign(out_.graph.variables.size(), nullptr);
    cost_.assign(out_.graph.variables.size(), limit + 1);
    for (const std::uint32_t b : order_)  // definitions come before uses
      for (const ir::Operation& op : blocks()[b].operations) {
        const Variable v = defined_by(op);
        if (v == ir::no_variable || op.opcode == ir::Opcode::assign || definitions_[v] != 1 || !is_cheap(op.opcode)) continue;
        unsigned cost = 1;
        each_use(op, [&](Variable used) { cost += cost_[used]; });
        cost_[v] = std::min(cost, limit + 1);
        if (cost <= limit) maker_[v] = &op;
      }
  }
  std::optional<std::uint64_t> constant_of(Variable v) const {
    if (maker_[v] == nullptr || maker_[v]->opcode != ir::Opcode::constant) return std::nullopt;
    return maker_[v]->immediate;
  }
  bool made_again(Variable v) const { return maker_[v] != nullptr; }
  void make_again(Variable v, std::vector<ir::Operation>& out, Set& made) const {
    if (made.contains(v)) return;
    made.insert(v);
    each_use(*maker_[v], [&](Variable used) { make_again(used, out, made); });
    out.push_back(*maker_[v]);
  }

  // Whether all threads of a block are run together: there is no operation of a warp.
  bool by_block() const {
    for (const ir::Block& block : blocks())
      for (const ir::Operation& op : block.operations)
        if (ir::row_of(op.opcode).effect == ir::Effect::warp_collective) return false;
    return true;
  }

  // ---- points

  void find_points() {
    out_.points.assign(1, {});
    places_.assign(1, {0, 0});
    point_at_.clear();
    std::vector<std::uint32_t> first_site(blocks().size() + 1, 0);
    std::map<Place, std::uint32_t> site_at;
    const std::vector<oxide_fault_site> sites = fault_sites(out_.graph);
    for (std::uint32_t s = 0; s != out_.function_sites; ++s) site_at[{sites[s].block, sites[s].operation}] = s;
    site_at_ = std::move(site_at);
    for (const std::uint32_t b : order_) {
      const std::vector<ir::Operation>& operations = blocks()[b].operations;
      if (transfers_[b]) add_point({b, 0}, {b, 0}, {});
      for (std::uint32_t i = 0; i != operations.size(); ++i)
        if (is_collective(operations[i])) {
          Point point{true, operations[i], site_at_.at({b, i}), {}};
          for (std::size_t k = 0; k != ir::row_of(operations[i].opcode).operands; ++k)
            point.constants[k] = constant_of(operations[i].operands[k]);
          add_point({b, i}, {b, i + 1}, point);
        }
    }
  }
  // `at` is where threads arrive, `after` where the region starts.
  void add_point(const Place& at, const Place& after, const Point& point) {
    (point.collective ? point_at_ : transfer_at_)[at] = static_cast<std::uint32_t>(out_.points.size());
    out_.points.push_back(point);
    places_.push_back(after);
  }

  // Calls piece(place, end) for each piece of straight code of a region. `place` was not stopped at.
  template <class F>
  void walk(std::uint32_t point, F&& piece) const {
    std::vector<Place> work{places_[point]};
    std::vector<bool> seen(blocks().size(), false);  // of starts of blocks
    if (work[0].operation == 0) seen[work[0].block] = true;
    while (!work.empty()) {
      const Place p = work.back();
      work.pop_back();
      const std::uint32_t end = end_of(p);
      piece(p, end);
      if (end != blocks()[p.block].operations.size()) continue;
      const ir::Terminator& t = blocks()[p.block].terminator;
      for (unsigned i = 0; i != target_count(t); ++i)
        if (!transfers_[t.targets[i]] && !seen[t.targets[i]]) seen[t.targets[i]] = true, work.push_back({t.targets[i], 0});
    }
  }

  // Regions that meet would each have a copy of what follows. Where that would be too much, a region starts where they meet.
  void share_code() {
    std::size_t kernel = 0;
    for (const ir::Block& block : blocks()) kernel += block.operations.size() + 1;
    for (;;) {
      std::size_t total = 0;
      std::vector<std::vector<std::uint32_t>> regions_of(blocks().size());
      for (std::uint32_t p = 0; p != out_.points.size(); ++p)
        walk(p, [&](const Place& place, std::uint32_t end) {
          total += end - place.operation + 1;
          if (place.operation == 0) regions_of[place.block].push_back(p);
        });
      if (total <= 2 * kernel + 64) return;
      bool changed = false;
      std::vector<bool> meets(blocks().size(), false);
      for (std::uint32_t p = 0; p != out_.points.size(); ++p)
        walk(p, [&](const Place& place, std::uint32_t end) {
          if (end != blocks()[place.block].operations.size()) return;
          const ir::Terminator& t = blocks()[place.block].terminator;
          for (unsigned i = 0; i != target_count(t); ++i) {
            const std::uint32_t b = t.targets[i];
            if (transfers_[b] || regions_of[b].size() < 2) continue;
            const bool same = place.operation == 0 && regions_of[place.block] == regions_of[b];
            if (!same) meets[b] = true;
          }
        });
      for (std::size_t b = 0; b != blocks().size(); ++b)
        if (meets[b] && !transfers_[b]) transfers_[b] = changed = true;
      if (!changed) return;
      transfer_at_.clear();
      find_points();
    }
  }

  // ---- regions

  Region make_region(std::uint32_t point) {
    Region region;
    ir::Graph& graph = region.graph;
    graph.name = out_.graph.name;
    graph.fp_mode = out_.graph.fp_mode;
    graph.attributes = out_.graph.attributes;
    graph.parameters = out_.graph.parameters;
    graph.memories = out_.graph.memories;
    graph.variables = out_.graph.variables;
    graph.files = out_.graph.files;
    graph.strings = out_.graph.strings;
    graph.storages = out_.graph.storages;
    graph.blocks.resize(1);
    std::vector<std::pair<Place, std::uint32_t>> pieces;
    std::map<Place, std::uint32_t> number;
    walk(point, [&](const Place& place, std::uint32_t end) {
      number[place] = static_cast<std::uint32_t>(pieces.size() + 1);
      pieces.push_back({place, end});
    });
    graph.blocks.resize(pieces.size() + 1);
    region.exits.assign(pieces.size() + 1, Regions::thread_ends);
    region.saved.resize(pieces.size() + 1);
    graph.blocks[0].terminator = {ir::TerminatorKind::jump, ir::no_variable, {1, 0}, {}};

    Set used(graph.variables.size()), defined(graph.variables.size());
    for (std::size_t n = 0; n != pieces.size(); ++n) {
      const auto& [place, end] = pieces[n];
      const ir::Block& from = blocks()[place.block];
      for (std::uint32_t i = place.operation; i != end; ++i) {
        const ir::Operation& op = from.operations[i];
        const auto site = site_at_.find({place.block, i});
        if (site != site_at_.end() && proved_[site->second]) continue;
        if (op.opcode == ir::Opcode::call) graph.functions = out_.graph.functions;
        graph.blocks[n + 1].operations.push_back(op);
        each_use(op, [&](Variable v) { used.insert(v); });
        if (const Variable v = defined_by(op); v != ir::no_variable) defined.insert(v);
        if (site != site_at_.end()) region.sites.push_back(site->second);
      }
      if (end != from.operations.size()) {
        region.exits[n + 1] = point_at_.at({place.block, end});
        continue;
      }
      graph.blocks[n + 1].terminator = from.terminator;
      if (from.terminator.kind == ir::TerminatorKind::branch) used.insert(from.terminator.condition);
      for (unsigned i = 0; i != target_count(from.terminator); ++i) {
        const std::uint32_t target = target_in(region, number, from.terminator.targets[i]);  // may make a block
        graph.blocks[n + 1].terminator.targets[i] = target;
      }
    }
    // What must be kept when the region ends at a point, besides what was kept before and did not change.
    std::map<std::uint32_t, std::vector<Variable>> saved_at;
    for (std::size_t b = 1; b != graph.blocks.size(); ++b) {
      if (graph.blocks[b].terminator.kind != ir::TerminatorKind::exit || region.exits[b] == Regions::thread_ends) continue;
      const std::uint32_t to = region.exits[b];
      auto [at, is_new] = saved_at.try_emplace(to);
      if (is_new) {
        Set live = live_at(places_[to]);
        if (out_.points[to].collective)
          if (const Variable v = defined_by(out_.points[to].operation); v != ir::no_variable) live.erase(v);
        live.each([&](Variable v) {
          if (!made_again(v) && defined.contains(v)) at->second.push_back(v);
        });
        if (out_.points[to].collective)
          each_use(out_.points[to].operation, [&](Variable v) {
            if (constant_of(v)) return;
            if ((made_again(v) || defined.contains(v)) && std::find(at->second.begin(), at->second.end(), v) == at->second.end())
              at->second.push_back(v);
          });
        for (const Variable v : at->second) used.insert(v);
      }
      region.saved[b] = at->second;
    }
    Set made(graph.variables.size());
    const Set live = live_at(places_[point]);
    std::vector<ir::Operation> again;
    used.each([&](Variable v) {
      if (made_again(v) && live.contains(v)) make_again(v, again, made);
    });
    graph.blocks[0].operations = std::move(again);
    live.each([&](Variable v) {
      if (!made_again(v) && (used.contains(v) || defined.contains(v))) region.inherited.push_back(v);
    });
    return region;
  }

  // A block of the region: one of its pieces, or a new one that ends at a transfer.
  std::uint32_t target_in(Region& region, const std::map<Place, std::uint32_t>& number, std::uint32_t block) {
    if (!transfers_[block]) return number.at({block, 0});
    const std::uint32_t point = transfer_at_.at({block, 0});
    for (std::size_t b = 1; b != region.graph.blocks.size(); ++b)
      if (region.exits[b] == point) return static_cast<std::uint32_t>(b);
    region.graph.blocks.emplace_back();
    region.exits.push_back(point);
    region.saved.emplace_back();
    return static_cast<std::uint32_t>(region.graph.blocks.size() - 1);
  }

  void keep_what_is_inherited(const Region& region) {
    for (const Variable v : region.inherited) out_.kept[v] = true;
    for (const std::vector<Variable>& saved : region.saved)
      for (const Variable v : saved) out_.kept[v] = true;
  }

  Regions out_;
  std::vector<std::uint8_t> definitions_;
  std::vector<bool> proved_;  // of each site
  std::vector<std::uint32_t> order_;
  std::vector<Set> live_in_;
  std::vector<const ir::Operation*> maker_;  // of a variable that is made again
  std::vector<unsigned> cost_;
  std::vector<bool> transfers_;              // blocks that start a region
  std::vector<Place> places_;                // of each point: where its region starts
  std::map<Place, std::uint32_t> point_at_, transfer_at_, site_at_;
};

}  // namespace

Regions cut(const ir::Graph& graph, bool fuses) { return Cutter(graph, fuses).run(); }

}  // namespace oxide::jit
