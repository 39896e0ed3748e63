// Barriers of a block, and fences.
#pragma once

#include <cstdint>

#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/synchronization.hpp>

namespace oxide {

using Scope = ir::Scope;
using MemoryOrder = ir::MemoryOrder;

// Waits until all threads of the block that have not ended are here; what they wrote before, all see behind. Every one of them has to come
// to the same sync_threads: a kernel where some do not is undefined on a GPU, and on the CPU ends in an error that names both lines.
inline void sync_threads(detail::Where where = detail::Where::current()) {
  detail::emit(ir::Opcode::barrier, ir::Type::none, std::uint64_t{0}, where);
}

// The same, and tells whether the predicate is true for all threads, for any of them, or for how many.
inline boolean sync_threads_and(detail::Operand<bool> predicate) {
  return boolean::from_handle(detail::emit(ir::Opcode::barrier_and, ir::Type::boolean, predicate.handle, 0, predicate.where),
                              predicate.where);
}
inline boolean sync_threads_or(detail::Operand<bool> predicate) {
  return boolean::from_handle(detail::emit(ir::Opcode::barrier_or, ir::Type::boolean, predicate.handle, 0, predicate.where),
                              predicate.where);
}
inline u32 sync_threads_count(detail::Operand<bool> predicate) {
  return u32::from_handle(detail::emit(ir::Opcode::barrier_count, ir::Type::u32, predicate.handle, 0, predicate.where), predicate.where);
}

// Orders this thread's accesses before it with those behind it, as the threads of a scope see them; waits for nobody. Sequentially
// consistent with other fences. Example: ox::fence<ox::Scope::device>();
template <Scope scope = Scope::device>
void fence(detail::Where where = detail::Where::current()) {
  detail::emit(ir::Opcode::fence, ir::Type::none, static_cast<std::uint64_t>(scope), where);
}
inline void thread_fence_block(detail::Where where = detail::Where::current()) { fence<Scope::block>(where); }
inline void thread_fence(detail::Where where = detail::Where::current()) { fence<Scope::device>(where); }
inline void thread_fence_system(detail::Where where = detail::Where::current()) { fence<Scope::system>(where); }

}  // namespace oxide
