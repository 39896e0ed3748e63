// Clocks, waiting, and where a thread runs.
#pragma once

#include <cstdint>

#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/machine.hpp>

namespace oxide {
namespace detail {

template <ir::SpecialRegister which>
auto special(Where where) {
  constexpr ir::Type type = ir::register_type(which);
  return DeviceValue<type>::from_handle(emit(ir::Opcode::special, type, static_cast<std::uint64_t>(which), where), where);
}

}  // namespace detail

// Each call reads anew: it is never merged with another one, moved over another one, or dropped.
namespace thread {

// Cycles of the multiprocessor that runs the thread; on the CPU, of the processor's time stamp counter. Differences count, on one
// multiprocessor; clock() wraps. Example: ox::u64 start = ox::thread::clock64(); ... ox::u64 cycles = ox::thread::clock64() - start;
inline u32 clock(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::clock>(where); }
inline u64 clock64(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::clock64>(where); }
// Nanoseconds of a clock that all multiprocessors share, which on a GPU may go in steps of about a microsecond; on the CPU,
// CLOCK_MONOTONIC.
inline u64 globaltimer(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::globaltimer>(where); }
// The multiprocessor that the thread runs on just now, below nsmid(); on the CPU, the processor.
inline u32 smid(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::smid>(where); }
inline u32 nsmid(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::nsmid>(where); }
// The slot of the thread's warp on its multiprocessor just now, below nwarpid(); on the CPU, thread number / 32. For what a kernel computes
// use the thread's number, which does not change.
inline u32 warpid(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::warpid>(where); }
inline u32 nwarpid(detail::Where where = detail::Where::current()) { return detail::special<ir::SpecialRegister::nwarpid>(where); }

// Waits for about `nanoseconds`: on a GPU from 0 to twice as long, at most 1 ms (PTX ISA, "nanosleep"); on the CPU at least as long.
inline void nanosleep(detail::Operand<std::uint32_t> nanoseconds) {
  detail::emit(ir::Opcode::sleep, ir::Type::none, nanoseconds.handle, 0, nanoseconds.where);
}

}  // namespace thread

// Stops in the debugger. On a GPU, cuda-gdb; without a debugger the GPU may end the kernel with an error. On the CPU, the debugger that
// watches this process; without one it does nothing.
inline void breakpoint(detail::Where where = detail::Where::current()) { detail::emit(ir::Opcode::breakpoint, ir::Type::none, 0, where); }

// Whether the kernel runs on a GPU: known when it is compiled, so that only one side of a branch on it becomes code.
inline boolean on_gpu(detail::Where where = detail::Where::current()) {
  return boolean::from_handle(detail::emit(ir::Opcode::on_gpu, ir::Type::boolean, 0, where), where);
}

}  // namespace oxide
