#include "lower_memory.hpp"

#include "body.hpp"

namespace oxide::jit {

llvm::GlobalVariable* make_table(llvm::Module& module, const ir::Graph& graph, std::size_t memory, unsigned address_space) {
  const ir::Memory& table = graph.memories[memory];
  const std::string& bytes = graph.strings[table.data];
  llvm::LLVMContext& context = module.getContext();
  const bool structs = table.element == ir::Type::none;  // as bytes
  llvm::Constant* data = llvm::ConstantDataArray::getRaw(bytes, structs ? bytes.size() : table.elements,
                                                         structs ? llvm::Type::getInt8Ty(context) : memory_type(context, table.element));
  auto* global =
      new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, data,
                               "oxide_table" + std::to_string(memory), nullptr, llvm::GlobalVariable::NotThreadLocal, address_space);
  // So that neighbours are read together where the index allows it.
  global->setAlignment(llvm::Align(16));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

std::uint64_t table_bytes(const ir::Graph& graph) {
  std::uint64_t bytes = 0;
  for (const ir::Memory& m : graph.memories)
    if (m.kind == ir::MemoryKind::table) bytes += (graph.strings[m.data].size() + 15) / 16 * 16;
  return bytes;
}

}  // namespace oxide::jit
