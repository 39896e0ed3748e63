#include "host_simt.hpp"

#include "host_function.hpp"
#include "region_function.hpp"

#include <oxide/ir/analysis/cooperation.hpp>

#include <cstring>

namespace oxide::jit {

using llvm::Value;

namespace {

// ---- tables

template <class Row>
llvm::GlobalVariable* make_table(llvm::Module& module, const char* name, const std::vector<Row>& rows) {
  static_assert(sizeof(Row) % 4 == 0);
  std::vector<std::uint32_t> words(rows.size() * (sizeof(Row) / 4));
  std::memcpy(words.data(), rows.data(), 4 * words.size());
  llvm::Constant* data = llvm::ConstantDataArray::get(module.getContext(), words);
  auto* table = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
  table->setAlignment(llvm::Align(8));
  return table;
}

SimtPoint describe(const Point& point, const Regions& regions, const Arrays& arrays) {
  SimtPoint out{};
  if (!point.collective) return out;
  const ir::Operation& op = point.operation;
  const ir::OpcodeRow& row = ir::row_of(op.opcode);
  out.collective = 1;
  out.opcode = static_cast<std::uint32_t>(op.opcode);
  out.immediate = static_cast<std::uint32_t>(op.immediate);
  out.site = point.site;
  if (row.result != ir::ResultRule::none) out.result = arrays.name[op.result];
  if (row.operands == 0) return out;
  const ir::Type type = regions.graph.variables[op.operands[0]];
  out.type = static_cast<std::uint32_t>(type);
  out.size = static_cast<std::uint32_t>(ir::size_of(type));
  for (std::size_t i = 0; i != row.operands; ++i) {
    SimtOperand& operand = out.operands[i];
    if (point.constants[i]) {
      operand.constant = 1;
      std::memcpy(operand.bits, &*point.constants[i], sizeof operand.bits);
    } else {
      operand.array = arrays.name[op.operands[i]];
    }
  }
  return out;
}

void make_entry(llvm::Module& module, const char* name, llvm::ArrayRef<Value*> tables) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  llvm::FunctionCallee run =
      module.getOrInsertFunction("oxide_simt_run", llvm::FunctionType::get(nothing, {pointer, pointer, pointer, pointer, i64, i64}, false));
  llvm::Function* entry = llvm::Function::Create(llvm::FunctionType::get(nothing, {pointer, i64, i64}, false),
                                                 llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setDoesNotThrow();
  Builder b(llvm::BasicBlock::Create(context, "entry", entry));
  b.CreateCall(run, {tables[0], tables[1], tables[2], entry->getArg(0), entry->getArg(1), entry->getArg(2)});
  b.CreateRetVoid();
}

}  // namespace

bool needs_regions(const ir::Graph& graph) {
  for (const ir::Memory& m : graph.memories)
    if (ir::is_shared(m)) return true;
  for (const ir::Block& block : graph.blocks)
    for (const ir::Operation& op : block.operations)
      if (is_collective(op)) return true;
  return false;
}

oxide_host_needs make_simt_kernel(const ir::Graph& graph, llvm::Module& module, const char* entry) {
  const Regions regions = cut(graph, HostMachine::get().fuses);
  const Arrays arrays(regions);
  std::vector<llvm::Constant*> functions;
  std::vector<SimtPoint> points;
  SimtKernel kernel{};
  for (std::uint32_t p = 0; p != regions.points.size(); ++p) {
    functions.push_back(make_region(regions, p, arrays, module));
    points.push_back(describe(regions.points[p], regions, arrays));
    if (regions.points[p].collective && ir::row_of(regions.points[p].operation.opcode).effect == ir::Effect::warp_collective)
      kernel.by_warp = 1;
    if (!regions.regions[p].sites.empty() || !regions.regions[p].graph.functions.empty()) kernel.checks = 1;
  }
  kernel.thread_bytes = arrays.thread_bytes;
  kernel.shared_bytes = static_cast<std::uint32_t>(ir::shared_layout(graph).fixed_bytes);
  kernel.points = static_cast<std::uint32_t>(points.size());
  const ir::Cooperation together(graph);
  const bool clusters_meet = together.clusters_meet && graph.attributes.cluster[0] != 0;
  for (std::size_t axis = 0; axis != 3; ++axis) kernel.cluster[axis] = clusters_meet ? graph.attributes.cluster[axis] : 1;
  auto* type = llvm::ArrayType::get(llvm::PointerType::get(module.getContext(), 0), functions.size());
  auto* table = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(type, functions),
                                         "oxide_regions");
  make_entry(module, entry, {make_table<SimtKernel>(module, "oxide_kernel", {kernel}), make_table(module, "oxide_points", points), table});
  return {kernel.thread_bytes, kernel.shared_bytes + std::uint32_t{sizeof(SimtState)},
          kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2], together.grid != nullptr ? 1u : 0u};
}

}  // namespace oxide::jit
