#include "nvptx_machine.hpp"

#include "failure.hpp"

#include <algorithm>
#include <string>

namespace oxide::jit {

namespace {

// The oldest PTX ISA of each architecture, from the release notes in the PTX ISA document; 7.0 for Turing, because of tanh.approx: every
// driver that oxide takes knows it. LLVM 22 knows these and no other ones.
struct Architecture {
  unsigned sm, ptx;
};
constexpr Architecture architectures[] = {{75, 70},  {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78}, {90, 78},
                                          {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
// The PTX versions that LLVM 22 writes.
constexpr unsigned ptx_versions[] = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

bool has_wide_atomics(const ir::Graph& graph) {
  for (std::size_t f = 0; f != ir::body_count(graph); ++f) {
    const ir::Body& body = ir::body_of(graph, f);
    for (const ir::Block& block : body.blocks)
      for (const ir::Operation& op : block.operations) {
        if (ir::row_of(op.opcode).effect != ir::Effect::atomic) continue;
        if (ir::size_of(op.type != ir::Type::none ? op.type : body.variables[op.operands[1]]) == 16) return true;
      }
  }
  return false;
}

}  // namespace

unsigned ptx_version_for(const oxide_jit_request& request, const ir::Graph& graph) {
  const Architecture* architecture = nullptr;
  for (const Architecture& a : architectures)
    if (a.sm == request.sm) architecture = &a;
  if (architecture == nullptr) {
    const std::string name = "sm_" + std::to_string(request.sm);
    if (request.sm < architectures[0].sm)
      throw Failure{OXIDE_JIT_UNSUPPORTED, name + " is too old: oxide compiles for sm_75 (Turing) and newer"};
    throw Failure{OXIDE_JIT_UNSUPPORTED, name + " is not an architecture that this compiler (LLVM " LLVM_VERSION_STRING ") knows"};
  }
  unsigned ptx = architecture->ptx;
  if (!graph.functions.empty()) ptx = std::max(ptx, 73u);  // `stacksave` (PTX ISA, "Stack Manipulation Instructions")
  if (has_wide_atomics(graph)) ptx = std::max(ptx, 84u);   // .b128, of .sys too (PTX ISA, "atom")
  for (unsigned version : ptx_versions)
    if (version <= request.ptx_version && version > ptx) ptx = version;
  return ptx;
}

MachineKey machine_for(const oxide_jit_request& request, const ir::Graph& graph) {
  return {true, "sm_" + std::to_string(request.sm), "+ptx" + std::to_string(ptx_version_for(request, graph)), request.opt_level};
}

}  // namespace oxide::jit
