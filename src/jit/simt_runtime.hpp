// How a processor runs the blocks of a kernel whose threads wait for each other: what the generated code and the code that calls its
// regions know of each other.
#pragma once

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

#include <cstdint>

namespace oxide::jit {

inline constexpr std::uint32_t simt_warp = 32;

// What a thread's state says: that it waits at a point; or, with this bit, that it is about to run the region of the point.
inline constexpr std::uint32_t simt_runs = 0x80000000;
inline constexpr std::uint32_t simt_exited = 0x7fffffff;
inline constexpr std::uint32_t simt_failed = 0x7ffffffe;  // has filled in its place in the arrays of failures
inline constexpr std::uint32_t simt_mixed = 0x7ffffffd;   // of several threads, which have different states

// The arrays of a block have an element for each of its threads, rounded up to `stride`. An array is named by the bytes a thread has in
// all arrays before it, so that it starts at arrays + name * stride. The first ones are these.
inline constexpr std::uint32_t simt_failed_values[] = {0, 8};  // u64
inline constexpr std::uint32_t simt_failed_site = 16;          // u32
inline constexpr std::uint32_t simt_states = 20;               // u32
inline constexpr std::uint32_t simt_first_array = 24;

// A block that is being run. Generated code reads it.
struct SimtBlock {
  const oxide_host_launch* launch;
  std::uint8_t* arrays;
  std::uint8_t* shared;
  std::uint64_t stride;
  std::uint32_t block[3];
  std::uint32_t reserved;
  std::uint64_t cluster_stride;  // bytes from a block's shared memory to that of the next one in its cluster
};

// Runs a region for the threads [first, first + count) of a block, of which the first is at (x, y, z). Gives the least of their new states
// and, in the upper half, the greatest; stores the states only where these differ.
using SimtRegion = std::uint64_t (*)(const SimtBlock* block, std::uint64_t first, std::uint64_t count, std::uint32_t x, std::uint32_t y,
                                     std::uint32_t z);

// The tables below are generated as constants: 32-bit words, in this order.
struct SimtOperand {
  std::uint32_t constant;     // 1: bits is the value; 0: it is in an array
  std::uint32_t array;
  std::uint32_t bits[2];
};
struct SimtPoint {
  std::uint32_t collective;   // 0: a transfer
  std::uint32_t opcode;       // ir::Opcode
  std::uint32_t type;         // ir::Type of operand 0
  std::uint32_t size;         // bytes of operand 0
  std::uint32_t immediate;
  std::uint32_t site;
  std::uint32_t result;       // array
  std::uint32_t reserved;
  SimtOperand operands[ir::max_operands];
};
struct SimtKernel {
  std::uint32_t thread_bytes;  // of a thread in all arrays
  std::uint32_t shared_bytes;  // of arrays of a fixed size
  std::uint32_t by_warp;       // has operations of a warp
  std::uint32_t checks;        // has checks, so that threads may fail
  std::uint32_t points;
  std::uint32_t cluster[3];    // blocks of a cluster that meet; 1 where they do not
};

// At the start of a block's memory; what is kept of it between the rounds of a grid. The threads' arrays follow, then shared memory.
struct SimtState {
  enum Status : std::uint32_t { runs, waits_for_cluster, waits_for_grid, ended };
  std::uint32_t status;
  std::uint32_t point;     // where it waits
  std::uint32_t arrivals;  // at its cluster's barrier
  std::uint32_t waits;     // that were passed there
  std::uint8_t reserved[48];
};
static_assert(sizeof(SimtState) == 64);

// Runs the blocks, or the clusters of blocks that meet, [first, end) of a launch. `points` and `regions` have an element for each point.
extern "C" void oxide_simt_run(const SimtKernel* kernel, const SimtPoint* points, const SimtRegion* regions,
                               const oxide_host_launch* launch, std::uint64_t first, std::uint64_t end);

}  // namespace oxide::jit
