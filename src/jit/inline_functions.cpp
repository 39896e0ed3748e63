#include "inline_functions.hpp"

#include "body.hpp"
#include "failure.hpp"
#include "graph_walk.hpp"

#include <oxide/ir/analysis/call_graph.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace oxide::jit {

using ir::Variable;

class Inliner {
 public:
  Inliner(ir::Graph& graph, bool (*whole)(const ir::Operation&)) : graph_(graph), whole_(whole) {}

  Origins run(bool drop) {
    if (!std::ranges::any_of(graph_.functions, [&](const ir::Function& f) { return first_whole(f) != nullptr; })) return {};
    name_places();
    if (drop) {
      for (std::size_t body = 0; body != ir::body_count(graph_); ++body) drop_unreachable_code(body);
      drop_functions();
    }
    find_inlined();
    for (std::size_t b = 0; b != graph_.blocks.size(); ++b) inline_first_call(b);  // what follows a call is another block
    drop_functions();
    return std::move(origins_);
  }

 private:
  using Places = Origins::Places;
  using Place = Origins::Place;

  ir::Body& body(std::size_t number) { return number == 0 ? static_cast<ir::Body&>(graph_) : graph_.functions[number - 1]; }
  const ir::Operation* first_whole(const ir::Body& b) const {
    for (const ir::Block& block : b.blocks)
      for (const ir::Operation& op : block.operations)
        if (whole_(op)) return &op;
    return nullptr;
  }

  void name_places() {
    for (std::uint32_t f = 0; f != ir::body_count(graph_); ++f) {
      Places& places = origins_.bodies_.emplace_back();
      const ir::Body& b = ir::body_of(graph_, f);
      for (std::uint32_t n = 0; n != b.blocks.size(); ++n) {
        places.emplace_back();
        for (std::uint32_t i = 0; i != b.blocks[n].operations.size(); ++i) places.back().push_back({f, n, i, 0});
      }
      if (f != 0) origins_.functions_.push_back(f - 1);
    }
  }

  void drop_unreachable_code(std::size_t number) {
    ir::Body& b = body(number);
    std::vector<bool> reached(b.blocks.size(), false);
    std::vector<std::uint32_t> work{0};
    reached[0] = true;
    while (!work.empty()) {
      const ir::Terminator t = b.blocks[work.back()].terminator;
      work.pop_back();
      for (unsigned i = 0; i != target_count(t); ++i)
        if (!reached[t.targets[i]]) reached[t.targets[i]] = true, work.push_back(t.targets[i]);
    }
    for (std::size_t n = 0; n != reached.size(); ++n)
      if (!reached[n]) b.blocks[n] = {}, origins_.bodies_[number][n].clear();
  }

  // Those that are not called any more.
  void drop_functions() {
    const ir::CallGraph calls(graph_);
    std::vector<std::uint32_t> number(graph_.functions.size(), 0);
    std::uint32_t kept = 0;
    for (std::uint32_t f = 0; f != number.size(); ++f) {
      if (!calls.reaches(0, f)) continue;
      number[f] = kept;
      if (f != kept) {
        graph_.functions[kept] = std::move(graph_.functions[f]);
        origins_.bodies_[kept + 1] = std::move(origins_.bodies_[f + 1]);
        origins_.functions_[kept] = origins_.functions_[f];
      }
      ++kept;
    }
    graph_.functions.resize(kept);
    origins_.bodies_.resize(kept + 1);
    origins_.functions_.resize(kept);
    for (std::size_t f = 0; f != ir::body_count(graph_); ++f)
      for (ir::Block& block : body(f).blocks)
        for (ir::Operation& op : block.operations)
          if (op.opcode == ir::Opcode::call) op.immediate = number[static_cast<std::size_t>(op.immediate)];
  }

  void find_inlined() {
    const ir::CallGraph calls(graph_);
    const std::size_t count = graph_.functions.size();
    inlined_.assign(count, false);
    for (std::size_t f = 0; f != count; ++f) {
      for (std::size_t callee = 0; callee != count; ++callee) {
        if (callee != f && !calls.reaches(f + 1, callee)) continue;
        const ir::Operation* op = first_whole(graph_.functions[callee]);
        if (op == nullptr) continue;
        if (calls.recursive(f)) refuse(f, callee, *op);
        inlined_[f] = true;
      }
    }
  }
  [[noreturn]] void refuse(std::size_t function, std::size_t callee, const ir::Operation& op) const {
    std::string text = "function '" + graph_.functions[function].name + "' may be called while it runs";
    text += callee == function ? ", and does '" : ", and through function '" + graph_.functions[callee].name + "' does '";
    text += std::string(ir::name_of(op.opcode)) + "'";
    if (op.location.line != 0) text += " (" + graph_.files[op.location.file] + ':' + std::to_string(op.location.line) + ')';
    throw Failure{OXIDE_JIT_UNSUPPORTED, text + "; what threads do together has to be done outside of recursion here"};
  }

  // ---- a call

  void inline_first_call(std::size_t number) {
    const std::vector<ir::Operation>& operations = graph_.blocks[number].operations;
    const auto call = std::ranges::find_if(operations, [&](const ir::Operation& op) {
      return op.opcode == ir::Opcode::call && inlined_[static_cast<std::size_t>(op.immediate)];
    });
    if (call == operations.end()) return;
    const ir::Function& callee = graph_.functions[static_cast<std::size_t>(call->immediate)];
    const auto at = static_cast<std::size_t>(call - operations.begin());
    const std::size_t first = at - callee.parameters.size();  // its arguments are directly before it

    Frame frame;
    for (std::size_t i = first; i != at; ++i) frame.arguments.push_back(operations[i].operands[0]);
    frame.call = name_call(origins_.bodies_[0][number][at]);
    frame.first_variable = static_cast<Variable>(graph_.variables.size());
    graph_.variables.insert(graph_.variables.end(), callee.variables.begin(), callee.variables.end());
    frame.first_result = static_cast<Variable>(graph_.variables.size());
    graph_.variables.insert(graph_.variables.end(), callee.results.begin(), callee.results.end());
    frame.after = static_cast<std::uint32_t>(graph_.blocks.size());
    split(number, first, at + 1, frame);
    graph_.blocks[number].terminator = {ir::TerminatorKind::jump, ir::no_variable, {frame.after + 1, 0}, {}};
    append(callee, origins_.bodies_[static_cast<std::size_t>(&callee - graph_.functions.data()) + 1], frame);
  }
  struct Frame {
    std::vector<Variable> arguments;
    Variable first_variable = 0, first_result = 0;
    std::uint32_t call = 0, after = 0;  // the block that follows the call; the callee's come behind it
  };
  std::uint32_t name_call(const Place& place) {
    origins_.calls_.push_back(place);
    return static_cast<std::uint32_t>(origins_.calls_.size());
  }

  // Ends a block before its operation `end`; what stands from `begin` on, and where it went, becomes a new block.
  void split(std::size_t number, std::size_t end, std::size_t begin, const Frame& frame) {
    ir::Block after;
    Places& places = origins_.bodies_[0];
    std::vector<Place> places_after(places[number].begin() + static_cast<std::ptrdiff_t>(begin), places[number].end());
    std::vector<ir::Operation>& operations = graph_.blocks[number].operations;
    after.operations.assign(operations.begin() + static_cast<std::ptrdiff_t>(begin), operations.end());
    after.terminator = graph_.blocks[number].terminator;
    for (ir::Operation& op : after.operations) {
      if (op.opcode != ir::Opcode::call_result) break;
      make_copy(op, frame.first_result + static_cast<Variable>(op.immediate));
    }
    operations.resize(end);
    places[number].resize(end);
    graph_.blocks.push_back(std::move(after));
    places.push_back(std::move(places_after));
  }
  static void make_copy(ir::Operation& op, Variable of) {
    op.opcode = ir::Opcode::copy;
    op.operands = {of, ir::no_variable, ir::no_variable};
    op.immediate = 0;
  }

  void append(const ir::Function& callee, const Places& places, const Frame& frame) {
    // More than any kernel that compiles in useful time; functions that call each other twice at each level get here quickly.
    constexpr std::size_t limit = 100000;
    for (std::size_t n = 0; n != callee.blocks.size(); ++n) {
      ir::Block block = callee.blocks[n];
      std::vector<Place> block_places = places[n];
      for (Place& place : block_places) place.call = frame.call;
      for (ir::Operation& op : block.operations) rename(op, frame);
      ir::Terminator& t = block.terminator;
      if (t.kind == ir::TerminatorKind::exit) t = {ir::TerminatorKind::jump, ir::no_variable, {frame.after, 0}, t.location};
      else
        for (unsigned i = 0; i != target_count(t); ++i) t.targets[i] += frame.after + 1;
      if (t.kind == ir::TerminatorKind::branch) t.condition += frame.first_variable;
      operations_ += block.operations.size();
      graph_.blocks.push_back(std::move(block));
      origins_.bodies_[0].push_back(std::move(block_places));
    }
    if (operations_ > limit)
      throw Failure{OXIDE_JIT_UNSUPPORTED,
                    "functions in which threads do something together become part of the kernel at each call; with "
                    "function '" +
                        callee.name + "' they make more than " + std::to_string(limit) + " operations"};
  }
  static void rename(ir::Operation& op, const Frame& frame) {
    const auto moved = [&](Variable& v) {
      if (v != ir::no_variable) v += frame.first_variable;
    };
    moved(op.result);
    for (Variable& v : op.operands) moved(v);
    if (op.opcode == ir::Opcode::parameter) {
      make_copy(op, frame.arguments[static_cast<std::size_t>(op.immediate)]);
    } else if (op.opcode == ir::Opcode::return_value) {
      op.opcode = ir::Opcode::assign;
      op.operands = {frame.first_result + static_cast<Variable>(op.immediate), op.operands[0], ir::no_variable};
      op.immediate = 0;
    }
  }

  ir::Graph& graph_;
  bool (*whole_)(const ir::Operation&);
  Origins origins_;
  std::vector<bool> inlined_;  // by function
  std::size_t operations_ = 0;
};

std::vector<oxide_fault_site> Origins::sites(const ir::Graph& graph) const {
  std::vector<oxide_fault_site> sites = fault_sites(graph);
  if (bodies_.empty()) return sites;
  const auto numbered = static_cast<std::uint32_t>(sites.size());
  const auto move_to = [&](oxide_fault_site& site, const Place& place) {
    site.function = place.function;
    site.block = place.block;
    site.operation = place.operation;
    site.call = place.call == 0 ? 0 : numbered + place.call;
  };
  for (oxide_fault_site& site : sites) {
    if (site.kind == OXIDE_FAULT_STACK) site.memory = functions_[site.memory];
    move_to(site, bodies_[site.function][site.block][site.operation]);
  }
  for (const Place& call : calls_) {
    sites.push_back({OXIDE_FAULT_CALL, 0, 0, 0, 0, 0});
    move_to(sites.back(), call);
  }
  return sites;
}

void Origins::place(oxide_local_array& array) const {
  if (bodies_.empty()) return;
  const Place& place = bodies_[array.function][array.block][array.operation];
  array.function = place.function;
  array.block = place.block;
  array.operation = place.operation;
}

Origins inline_functions(ir::Graph& graph, bool (*whole)(const ir::Operation&), bool drop) { return Inliner(graph, whole).run(drop); }

}  // namespace oxide::jit
