#include "prepare.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace oxide::jit {

// i = global index; if (i < length(out)) { for (k = 0; k < i; ++k) sum = in[k] * sum + in[i]; out[i] = sum }
ir::Graph typical_graph() {
  using enum ir::Opcode;
  using ir::Type, ir::Variable;
  constexpr std::uint64_t in = 0, out = 1;
  ir::Graph graph;
  graph.name = "prepare";
  graph.parameters = {{ir::ParameterKind::span, Type::f32}, {ir::ParameterKind::span, Type::f32}};
  graph.memories.resize(2);
  for (const std::uint64_t m : {in, out}) {
    graph.memories[m].element = Type::f32;
    graph.memories[m].access = m == in ? ir::Access::read : ir::Access::disjoint;
    graph.memories[m].parameter = static_cast<std::uint32_t>(m);
  }
  enum : std::uint32_t { entry, before, head, body, after, done };
  graph.blocks.resize(6);
  std::uint32_t block = entry;
  const auto add_operation = [&](ir::Opcode opcode, Type type, std::initializer_list<Variable> operands, std::uint64_t immediate = 0) {
    ir::Operation op;
    op.opcode = opcode;
    op.type = type;
    std::copy(operands.begin(), operands.end(), op.operands.begin());
    op.immediate = immediate;
    if (type != Type::none) {
      op.result = static_cast<Variable>(graph.variables.size());
      graph.variables.push_back(type);
    }
    graph.blocks[block].operations.push_back(op);
    return op.result;
  };
  const auto leave = [&](ir::TerminatorKind kind, Variable condition, std::uint32_t first, std::uint32_t second, std::uint32_t next) {
    graph.blocks[block].terminator = {kind, condition, {first, second}, {}};
    block = next;
  };
  const auto coordinate = [&](ir::Opcode which) { return add_operation(cast, Type::u64, {add_operation(which, Type::u32, {})}); };
  const auto checked_load = [&](Variable index) {
    add_operation(check_bounds, Type::none, {index}, in);
    return add_operation(load, Type::f32, {index}, in);
  };

  const Variable block_start = add_operation(mul, Type::u64, {coordinate(block_index), coordinate(block_dim)});
  const Variable i = add_operation(add, Type::u64, {block_start, coordinate(thread_index)});
  leave(ir::TerminatorKind::branch, add_operation(less, Type::boolean, {i, add_operation(length, Type::u64, {}, out)}), before, done,
        before);
  const Variable k = add_operation(constant, Type::u64, {}, 0), sum = add_operation(constant, Type::f32, {}, 0);
  const Variable one = add_operation(constant, Type::u64, {}, 1);
  leave(ir::TerminatorKind::jump, ir::no_variable, head, 0, head);
  leave(ir::TerminatorKind::branch, add_operation(less, Type::boolean, {k, i}), body, after, body);
  const Variable product = add_operation(mul, Type::f32, {checked_load(k), sum});
  add_operation(assign, Type::none, {sum, add_operation(add, Type::f32, {product, checked_load(i)})});
  add_operation(assign, Type::none, {k, add_operation(add, Type::u64, {k, one})});
  leave(ir::TerminatorKind::jump, ir::no_variable, head, 0, after);
  add_operation(store, Type::none, {i, sum}, out);
  leave(ir::TerminatorKind::jump, ir::no_variable, done, 0, done);
  leave(ir::TerminatorKind::exit, ir::no_variable, 0, 0, done);
  return graph;
}

void map_code() {
#ifdef MADV_POPULATE_READ  // Linux 5.14; an older kernel refuses the advice
  const auto populate = [](dl_phdr_info* object, std::size_t, void* in_here) {
    const auto inside = reinterpret_cast<std::uintptr_t>(in_here);
    for (int i = 0; i != object->dlpi_phnum; ++i) {
      const ElfW(Phdr) & segment = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || inside < begin || inside >= end) continue;
      const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
      const std::uintptr_t first = begin / page * page;
      (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_READ);
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(populate, reinterpret_cast<void*>(&map_code));
#endif
}

}  // namespace oxide::jit
