// The one table of operations. The recorder, printer, verifier, encoder and lowering all derive from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oxide::ir {

// X(name, operands, result, operand rule, immediate, effect)
//   result:       none      no result
//                 same      the type of operand 0
//                 boolean   a boolean
//                 given     the operation's own type field says
//   operand rule: what types operands may have, see OperandRule below
//   immediate:    what the 64-bit immediate means, see Immediate below
//     trace     only in traces
//   effect:       pure      may be dropped when its result is unused, may be merged with an equal one
//                 makes     makes something of its own: may be dropped when its result is unused, never merged
//                 writes_variable  changes the variable that is operand 0
//                 reads     reads memory
//                 writes    writes memory
//                 traps     may end the thread with an error; must stay
//                 block_collective  done by all threads of the block together; orders their memory accesses
//                 warp_collective   done by the lanes of a warp together; orders their memory accesses
//                 fences    orders memory accesses
//                 atomic    reads and writes memory as one
//                 acts      does something that no memory of the graph shows, or reads what changes by itself; must stay, in order
//                 argument, call_result  belong to the operation with many operands behind or before them
//                 calls     runs a function of the graph
//                 returns   sets a result of the function that it stands in
//                 requires  states a requirement on the launch; kept in the graph's list, not in its blocks
// clang-format off: one line an operation, so that lists that grow in two places merge
#define OXIDE_IR_OPERATIONS(X) \
  /* values */ \
  X(constant, 0, given, any, bits, pure) \
  X(parameter, 0, given, any, parameter, pure) \
  X(length, 0, given, any, memory, pure) \
  X(copy, 1, same, any, none, pure) \
  X(assign, 2, none, equal, none, writes_variable) \
  X(select, 3, given, select, none, pure) \
  X(cast, 1, given, cast, none, pure) \
  X(bit_cast, 1, given, any, none, pure) \
  /* the thread's place in the launch: u32, immediate is the axis */ \
  X(thread_index, 0, given, any, axis, pure) \
  X(block_index, 0, given, any, axis, pure) \
  X(block_dim, 0, given, any, axis, pure) \
  X(grid_dim, 0, given, any, axis, pure) \
  X(index_space, 0, none, any, space, requires_launch) \
  /* arithmetic, by the number rules in docs/numbers.md */ \
  X(add, 2, same, arithmetic, none, pure) \
  X(sub, 2, same, arithmetic, none, pure) \
  X(mul, 2, same, arithmetic, none, pure) \
  X(div, 2, same, number, check, traps) \
  X(rem, 2, same, number, check, traps) \
  X(neg, 1, same, arithmetic, none, pure) \
  X(abs, 1, same, arithmetic, none, pure) \
  X(min, 2, same, arithmetic, none, pure) \
  X(max, 2, same, arithmetic, none, pure) \
  X(fma, 3, same, floating_pair, none, pure) \
  X(bit_and, 2, same, bits, none, pure) \
  X(bit_or, 2, same, bits, none, pure) \
  X(bit_xor, 2, same, bits, none, pure) \
  X(bit_not, 1, same, bits, none, pure) \
  X(shift_left, 2, same, integer, none, pure) \
  X(shift_right, 2, same, integer, none, pure) \
  X(equal, 2, boolean, equal, none, pure) \
  X(not_equal, 2, boolean, equal, none, pure) \
  X(less, 2, boolean, number, none, pure) \
  X(less_equal, 2, boolean, number, none, pure) \
  /* bits of integers: counts are of the number's type; funnels shift two numbers as one, by the count modulo the width */ \
  X(popcount, 1, same, integer, none, pure) \
  X(leading_zeros, 1, same, integer, none, pure) \
  X(trailing_zeros, 1, same, integer, none, pure) \
  X(bit_reverse, 1, same, integer, none, pure) \
  X(funnel_left, 3, same, integer, none, pure) \
  X(funnel_right, 3, same, integer, none, pure) \
  X(mul_high, 2, same, integer, none, pure) \
  X(add_saturating, 2, same, integer, none, pure) \
  X(sub_saturating, 2, same, integer, none, pure) \
  /* on u32: prmt's modes 0 to 6; on i32 and u32: sums of products of bytes, and of bytes (the lower two, the upper two) and halfwords */ \
  X(byte_permute, 3, same, integer, choice, pure) \
  X(dot4, 3, given, any, none, pure) \
  X(dot2, 3, given, any, choice, pure) \
  /* pairs: of two halves; one of them (0 low, 1 high) */ \
  X(make_pair, 2, given, floating, none, pure) \
  X(pair_element, 1, given, any, choice, pure) \
  /* 8-bit floats: a cast that does not saturate; two f32 as two bytes of a u16, saturated, and back as an f16x2 (0 e4m3, 1 e5m2) */ \
  X(cast_unsaturated, 1, given, cast, none, pure) \
  X(pack_float8, 2, given, floating, choice, pure) \
  X(unpack_float8, 1, given, integer, choice, pure) \
  /* an f32 to tf32's 10 bits: 0 to nearest, ties away from zero, 1 to nearest even, 2 toward zero */ \
  X(round_tf32, 1, same, floating, choice, pure) \
  /* rounded as the immediate says: 0 to nearest even, 1 toward zero, 2 down, 3 up; pairs only to nearest */ \
  X(add_rounded, 2, same, floating_pair, choice, pure) \
  X(sub_rounded, 2, same, floating_pair, choice, pure) \
  X(mul_rounded, 2, same, floating_pair, choice, pure) \
  X(div_rounded, 2, same, floating, choice, pure) \
  X(fma_rounded, 3, same, floating, choice, pure) \
  X(sqrt_rounded, 1, same, floating, choice, pure) \
  X(cast_rounded, 1, given, cast, choice, pure) \
  /* exact mathematics on floats */ \
  X(sqrt, 1, same, floating, none, pure) \
  X(floor, 1, same, floating, none, pure) \
  X(ceil, 1, same, floating, none, pure) \
  X(trunc, 1, same, floating, none, pure) \
  X(round_even, 1, same, floating, none, pure) \
  /* functions of the table in math.hpp */ \
  X(math1, 1, given, math, math, pure) \
  X(math2, 2, given, math, math, pure) \
  X(math3, 3, given, math, math, pure) \
  /* memory: the immediate names a memory of the graph; an index is u64 and counts elements */ \
  X(check_bounds, 1, none, index, memory, traps) \
  X(check_vectors, 0, none, any, vectors, traps) \
  X(load, 1, given, index, access, reads) \
  X(store, 2, none, index, access, writes) \
  /* arrays behind an address: zero when made; an index is u64 */ \
  X(local_array, 0, given, any, array, makes) \
  X(check_index, 1, none, index, count, traps) \
  X(load_at, 2, given, address, address, reads) \
  X(store_at, 3, none, address, address, writes) \
  X(copy_array, 2, none, addresses, count, writes) \
  /* checks: ends the thread where the condition is false; the string is the message */ \
  X(check, 1, none, boolean, string, traps) \
  /* Operations with any number of operands take them from the arguments directly before them, which are numbered from 0. Their */ \
  /* results, if there are several, are read by call_result directly after them. Nothing comes between, and no path joins between. */ \
  X(argument, 1, none, any, index, argument) \
  X(call_result, 0, given, any, index, call_result) \
  /* A function's `parameter`s are its own; it sets each of its results before it exits. */ \
  X(call, 0, none, arguments, function, calls) \
  X(return_value, 1, none, any, index, returns) \
  /* shows the arguments by a format, see runtime/print_format.hpp */ \
  X(print, 0, none, arguments, string, acts) \
  /* the thread's place in its warp: u32; a warp is 32 threads with consecutive numbers in x, y, z order */ \
  X(lane_index, 0, given, any, none, pure) \
  X(warp_index, 0, given, any, none, pure) \
  /* clusters of blocks: the block's number in its cluster, and how many blocks a cluster has on an axis: u32 */ \
  X(cluster_rank, 0, given, any, none, pure) \
  X(cluster_dim, 0, given, any, axis, pure) \
  /* threads together: convergent; every thread of the block, or every lane that the mask (u32) names */ \
  X(barrier, 0, none, any, none, block_collective) \
  X(barrier_and, 1, boolean, boolean, none, block_collective) \
  X(barrier_or, 1, boolean, boolean, none, block_collective) \
  X(barrier_count, 1, given, boolean, none, block_collective) \
  X(fence, 0, none, any, scope, fences) \
  /* all threads of the grid; of the cluster, in two halves: 1 when the arrival orders nothing */ \
  X(grid_barrier, 0, none, any, none, block_collective) \
  X(cluster_arrive, 0, none, any, choice, block_collective) \
  X(cluster_wait, 0, none, any, none, block_collective) \
  X(warp_barrier, 1, none, mask, none, warp_collective) \
  X(active_mask, 0, given, any, none, warp_collective) \
  X(shuffle, 3, same, value_mask, shuffle, warp_collective) \
  X(vote_all, 2, boolean, boolean_mask, none, warp_collective) \
  X(vote_any, 2, boolean, boolean_mask, none, warp_collective) \
  X(vote_ballot, 2, given, boolean_mask, none, warp_collective) \
  X(match_any, 2, given, value_mask, none, warp_collective) \
  X(match_all, 2, given, value_mask, none, warp_collective) \
  X(warp_reduce, 2, same, value_mask, reduction, warp_collective) \
  /* atomic accesses to memory; the immediate is an AtomicAccess */ \
  X(atomic_load, 1, given, index, atomic, atomic) \
  X(atomic_store, 2, none, index, atomic, atomic) \
  X(atomic_rmw, 2, given, index, atomic, atomic) \
  X(atomic_cas, 3, given, index, atomic, atomic) \
  /* shared memory of the cluster: that there is a block of a rank (u32); where an element of its array lies */ \
  X(check_rank, 1, none, rank, none, traps) \
  X(shared_address, 2, given, rank, memory, pure) \
  /* atomic accesses to what an address says */ \
  X(atomic_load_at, 1, given, pointed, atomic_at, atomic) \
  X(atomic_store_at, 2, none, pointed, atomic_at, atomic) \
  X(atomic_rmw_at, 2, given, pointed, atomic_at, atomic) \
  X(atomic_cas_at, 3, given, pointed, atomic_at, atomic) \
  /* inline PTX, see InlinePtx in inline_ptx.hpp; the outputs are its results */ \
  X(inline_ptx, 0, none, arguments, string, acts) \
  /* the machine: what changes by itself, waiting for some nanoseconds (u32), stopping in a debugger, whether this is a GPU */ \
  X(special, 0, given, any, special, acts) \
  X(sleep, 1, none, nanoseconds, none, acts) \
  X(breakpoint, 0, none, any, none, acts) \
  X(on_gpu, 0, given, any, none, pure) \
  /* at the head of a loop: how many passes become one, 0 for all of them, 1 for none */ \
  X(unroll, 0, none, any, factor, acts) \
  /* moves an element near, if there is one; copies elements: to, from, how many; the ranges are apart and were checked */ \
  X(prefetch, 1, none, index, access, acts) \
  X(copy_elements, 3, none, indices, two_memories, writes) \
  /* only in traces, never in a finished graph */ \
  X(decide, 1, none, boolean, answer, trace) \
  X(loop_head, 0, none, any, none, trace) \
  X(end, 0, none, any, none, trace)
// clang-format on

enum class Opcode : std::uint8_t {
#define OXIDE_IR_ENUMERATOR(name, operands, result, rule, immediate, effect) name,
  OXIDE_IR_OPERATIONS(OXIDE_IR_ENUMERATOR)
#undef OXIDE_IR_ENUMERATOR
};

enum class ResultRule : std::uint8_t { none, same, boolean, given };

enum class OperandRule : std::uint8_t {
  any,       // no constraint
  equal,     // all of one type, whatever it is
  cast,      // of a type that casts to the result's, see can_cast in type.hpp
  number,    // all of one integer or floating type
  arithmetic,     // all of one integer or floating type, or pairs of one type
  integer,   // all of one integer type
  floating,  // all of one floating type
  floating_pair,  // all of one floating type, or pairs of one type
  bits,      // all boolean or all of one integer type
  boolean,   // boolean
  select,    // a boolean, then two of the result's type
  index,     // a u64 index, then (store, atomics) values of the memory's element type
  nanoseconds,  // a u32
  indices,      // u64
  rank,         // a u32, then (shared_address) a u64 index
  pointed,      // an address, then values of the type that is accessed
  arguments, // takes the arguments directly before it
  math,      // what the function takes
  address,   // an address, a u64 index, then (store) a number
  addresses, // addresses
  mask,      // a u32
  boolean_mask,  // a boolean, then a u32
  value_mask,    // a number, then u32
};

enum class Immediate : std::uint8_t {
  none,
  bits,       // a constant's bits, zero-extended; of an i128 sign-extended
  parameter,  // index into Graph::parameters, or in a function into its own
  memory,     // index into Graph::memories
  access,     // a MemoryAccess, see graph.hpp
  vectors,    // a memory, and in bits 32 to 63 how many elements make one vector
  array,      // an ArrayShape
  count,      // check_index: how many elements there are; copy_array: how many bytes
  address,    // an AddressAccess
  axis,       // 0 x, 1 y, 2 z
  space,      // an IndexSpace, see graph.hpp
  check,      // integer division only: 1 when a zero divisor traps, 0 when it gives 0
  special,    // a SpecialRegister
  factor,     // a number of passes, below 2^16
  two_memories,  // that is written in bits 0 to 15, that is read in bits 16 to 31
  string,     // index into Graph::strings; in a trace, into its declarations
  function,   // index into Graph::functions
  index,      // which argument or result, from 0
  answer,     // a decision's answer
  choice,     // a small number that the row explains
  math,       // a function and which of its results, see math.hpp
  scope,      // a fence: the Scope, see synchronization.hpp
  shuffle,    // a mode and a width, see synchronization.hpp
  reduction,  // a ReductionKind
  atomic,     // an AtomicAccess
  atomic_at,  // an AtomicAccess of no memory
};

enum class Effect : std::uint8_t {
  pure,
  makes,
  writes_variable,
  reads,
  writes,
  traps,
  acts,
  argument,
  call_result,
  calls,
  returns,
  requires_launch,
  trace,
  block_collective,
  warp_collective,
  fences,
  atomic,
};

struct OpcodeRow {
  std::string_view name;
  std::uint8_t operands;
  ResultRule result;
  OperandRule rule;
  Immediate immediate;
  Effect effect;
};

namespace detail {
inline constexpr OpcodeRow opcode_rows[] = {
#define OXIDE_IR_ROW(name, operands, result, rule, immediate, effect) \
  {#name, operands, ResultRule::result, OperandRule::rule, Immediate::immediate, Effect::effect},
    OXIDE_IR_OPERATIONS(OXIDE_IR_ROW)
#undef OXIDE_IR_ROW
};
}  // namespace detail

inline constexpr std::size_t opcode_count = std::size(detail::opcode_rows);
inline constexpr std::size_t max_operands = 3;
inline constexpr std::size_t max_arguments = 1024;  // of one operation with many operands, and its results

constexpr const OpcodeRow& row_of(Opcode op) { return detail::opcode_rows[static_cast<std::size_t>(op)]; }
constexpr std::string_view name_of(Opcode op) { return row_of(op).name; }

}  // namespace oxide::ir
