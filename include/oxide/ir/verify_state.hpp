// What the verifier of graphs knows and says: where it is, and the first rule that is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/print.hpp>

namespace oxide::ir {

// The first rule that a graph breaks, and where: the function (`no_place` for the kernel), the block and the operation in it (the number
// of operations for the terminator); no block when it is about the graph or the function as a whole.
struct Defect {
  static constexpr std::size_t no_place = static_cast<std::size_t>(-1);
  std::string what;
  std::size_t block = no_place;
  std::size_t operation = no_place;
  std::size_t function = no_place;

  std::string text() const {
    const std::string in = function == no_place ? std::string() : "function " + std::to_string(function) + ", ";
    if (block == no_place) return in + what;
    return in + "block " + std::to_string(block) + ", operation " + std::to_string(operation) + ": " + what;
  }
};

// As many as a call gives back. (A parameter takes one for each scalar in it.)
inline constexpr std::size_t max_results = 256;
inline constexpr std::size_t max_functions = 1024;  // analyses of who calls whom take the square of it

namespace detail {

class VerifierState {
 protected:
  explicit VerifierState(const Graph& graph) : graph_(graph) {}

  void fail(std::string what) {
    if (defect_) return;
    defect_ = Defect{std::move(what), block_, operation_};
    if (function_ != nullptr) defect_->function = static_cast<std::size_t>(function_ - graph_.functions.data());
  }
  void fail(const Operation& op, std::string_view what) { fail('\'' + print(graph_, op) + "' " + std::string(what)); }
  static std::string name(Type t) { return std::string(name_of(t)); }

  bool is_variable(Variable v) const { return v < body_->variables.size(); }
  Type type_of(Variable v) const { return body_->variables[v]; }

  const Graph& graph_;
  const Function* function_ = nullptr;  // the one that is looked at; null for the kernel
  const Body* body_ = nullptr;
  std::vector<Type> arguments_;         // that wait for the operation which takes them
  const Operation* source_ = nullptr;   // of results that may follow
  std::size_t block_ = Defect::no_place, operation_ = Defect::no_place;
  std::optional<Defect> defect_;
};

}  // namespace detail
}  // namespace oxide::ir
