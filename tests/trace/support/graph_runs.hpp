// Everything that can run a graph: the interpreter, and every device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace graph_runs {

// One span argument of a kernel; `bytes` holds what the kernel leaves there when it is over.
struct Array {
  oxide::ir::Type element;
  std::vector<unsigned char>* bytes;
};

class Runner {
 public:
  virtual ~Runner() = default;
  virtual std::string name() const = 0;
  // Runs `threads` threads in one dimension, a multiple of 32. All parameters of the kernel are spans.
  virtual void run(const oxide::Counted<const oxide::ir::Graph>& graph, std::uint32_t threads, const std::vector<Array>& arrays) const = 0;
};

// The interpreter of graphs, then every device of this machine.
const std::vector<std::unique_ptr<Runner>>& all();

}  // namespace graph_runs
