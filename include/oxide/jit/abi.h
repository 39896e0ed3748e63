/* The seam between oxide's headers and its compiler library: a C ABI. No C++ type crosses it and nothing throws across it.
 * The library is oxide-jit (liboxide-jit.so); it exports the functions declared at the end, and nothing else.
 * All functions may be called from several threads at once. */
#ifndef OXIDE_JIT_ABI_H
#define OXIDE_JIT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every incompatible change of this file or of the graph's encoding. */
#define OXIDE_JIT_ABI_VERSION 7u

enum oxide_jit_target {
  OXIDE_JIT_NVPTX = 0, /* PTX text for an NVIDIA GPU */
  OXIDE_JIT_HOST = 1   /* machine code for this process, loaded and ready to call */
};

enum oxide_jit_status {
  OXIDE_JIT_OK = 0,
  OXIDE_JIT_BAD_REQUEST = 1, /* wrong ABI version, or fields out of range */
  OXIDE_JIT_BAD_GRAPH = 2,   /* the bytes do not decode, or the graph does not verify */
  OXIDE_JIT_UNSUPPORTED = 3, /* the target cannot do what the graph asks for, or the architecture is unknown */
  OXIDE_JIT_FAILED = 4       /* LLVM failed */
};

enum oxide_jit_flags {
  OXIDE_JIT_LINE_INFO = 1u, /* .loc lines in PTX */
  OXIDE_JIT_KEEP_LLVM = 2u, /* also return the LLVM IR, after optimization, as text */
  OXIDE_JIT_KEEP_ASM = 4u   /* host: also return the assembly as text */
};

struct oxide_jit_request {
  uint32_t abi_version; /* OXIDE_JIT_ABI_VERSION */
  uint32_t target;      /* enum oxide_jit_target */
  const uint8_t* graph; /* ir/encode.hpp */
  uint64_t graph_size;
  uint32_t sm;          /* NVPTX: compute capability, 10 * major + minor: 75, 80, 86, 89, 90, 100, 120 ... */
  uint32_t ptx_version; /* NVPTX: the newest PTX ISA that the driver takes, 10 * major + minor (90 for 9.0); 0: what sm needs */
  uint32_t opt_level;   /* 0 to 3; 3 is the product's */
  uint32_t flags;       /* enum oxide_jit_flags, or'ed */
  const char* libdevice; /* NVPTX: path of a libdevice bitcode file to use, "builtin", or NULL for the one found or built in */
};

struct oxide_jit_text {
  const char* data; /* NUL-terminated; NULL when not asked for */
  uint64_t size;    /* without the NUL */
};

/* Where the generated code reports the first failed check of a launch. Zero before the launch. On a GPU it lies in host-mapped
 * memory. The first thread to change `claimed` from 0 to 1 fills in the rest, then stores `ready`. */
struct oxide_fault_record {
  uint32_t claimed;
  uint32_t ready;
  uint32_t site;      /* index into the result's sites */
  uint32_t reserved;
  uint64_t values[2]; /* bounds: index, length; division: dividend bits, 0; check: 0, 0; index: index; vectors: address, length;
                         collective: enum oxide_collective_fault; rank: rank, blocks of a cluster */
  uint32_t block[3];
  uint32_t thread[3];
};

enum oxide_fault_kind {
  OXIDE_FAULT_BOUNDS = 1,
  OXIDE_FAULT_DIVISION = 2,
  OXIDE_FAULT_CHECK = 3,
  OXIDE_FAULT_INDEX = 4,      /* of an array with a fixed number of elements */
  OXIDE_FAULT_VECTORS = 5,    /* a span that is not made of whole, aligned vectors */
  OXIDE_FAULT_COLLECTIVE = 6, /* a barrier or an operation of a warp that not all of its threads reached; GPU: of the grid only */
  OXIDE_FAULT_STACK = 7,      /* calls that go deeper than the stack */
  OXIDE_FAULT_RANK = 8,       /* of a block that the cluster does not have */
  OXIDE_FAULT_CALL = 9        /* never reported: a call that the `call` of sites names */
};

/* What values[0] of a collective's fault record says. */
enum oxide_collective_fault {
  OXIDE_COLLECTIVE_ELSEWHERE = 0, /* threads that should have come wait at the site values[1], or have ended when there is none */
  OXIDE_COLLECTIVE_NOT_NAMED = 1, /* the thread's mask, values[1], does not name its own lane */
  OXIDE_COLLECTIVE_OUT_OF_TURN = 2 /* the block arrives at its cluster's barrier twice, or waits without having arrived */
};

/* What a site number in a fault record means. Numbered in the order of blocks and operations of the graph, its kernel first and then its
 * functions, so that code does not depend on source lines. Where a function is made part of the kernel, each call of it has sites of its
 * own, and the calls follow at the end of the list. */
struct oxide_fault_site {
  uint32_t kind;     /* enum oxide_fault_kind */
  uint32_t memory;   /* bounds, vectors: index into Graph::memories; stack: of the called function in Graph::functions */
  uint32_t block;    /* where in the graph: its location says the source line */
  uint32_t operation;
  uint32_t function; /* 0 for the kernel, else one more than the index into Graph::functions */
  uint32_t call;     /* of a function that was made part of what calls it: one more than the index of the call in the list; else 0 */
};

/* NVPTX: an array of a thread's own (the graph's operation `local_array`) that the compiler left in local memory. */
struct oxide_local_array {
  uint32_t function; /* 0 for the kernel, else one more than the index into Graph::functions */
  uint32_t block;
  uint32_t operation;
  uint32_t reserved;
  uint64_t bytes;
};

/* Where kernels print. A record is 64-bit words: their number with this one, the key of the format and its argument types
 * (ir/output.hpp), then the arguments' bits, zero-extended, 16-byte ones in two words.
 * GPU: the hidden argument points to an oxide_print_buffer in device memory. A thread adds the bytes of its record to `used`; where the sum
 * is within `capacity` it writes the record there, the first word last, else it adds 1 to `lost`.
 * Host: it points to an oxide_print_sink, whose function is called for each record, on any thread. */
struct oxide_print_buffer {
  uint64_t used;
  uint64_t lost;
  uint64_t data;     /* address of `capacity` bytes of host-mapped memory, zero where no record was written */
  uint64_t capacity;
};
struct oxide_print_sink {
  void (*print)(struct oxide_print_sink* self, const uint64_t* record);
};

/* Where the blocks of a GPU's grid wait for each other: zero before the launch. */
struct oxide_grid_barrier {
  uint32_t arrived; /* bit 31 changes when the last block arrives */
  uint32_t ended;   /* 1 when a thread has left the kernel */
  uint32_t failed;  /* 1 when a thread has failed a check */
  uint32_t reserved;
};

/* Host code of a kernel that waits for its whole grid runs in rounds. In a round the entry is called for all units, each once; every block
 * goes on until it ends or waits for the grid. The blocks' states live in `blocks`. Each call adds what it found to the counts. */
struct oxide_host_resident {
  uint8_t* blocks;      /* oxide_host_block_bytes of each block, aligned to 64 bytes */
  uint32_t round;       /* from 0 */
  uint32_t first_site;  /* where blocks wait: the least and the greatest site */
  uint32_t last_site;
  uint32_t reserved;
  uint64_t waiting;     /* blocks */
  uint64_t ended;
  uint64_t waiting_block; /* one that waits, as its linear index in the grid */
};

/* A shared array whose size the launch decides takes two launch arguments behind those of the parameters: where it starts, in bytes
 * behind the arrays of a fixed size, and how many elements it has, both u32. ir/shared_memory.hpp says where the others are.
 *
 * Host code runs the linear block indices [first_block, end_block) of a grid, x fastest. `arguments` are pointers to the launch
 * arguments in the order of the parameters: a value is one, a span is two (pointer, then u64 length), a storage or printer is one
 * (pointer). Each thread that
 * fails a check fills in the fault record and leaves; the other threads go on. The code keeps the floating-point environment.
 * Where the blocks of clusters meet (ir/analysis/cooperation.hpp), the indices are of clusters.
 * A block has fewer than 2^30 threads on each axis. */
struct oxide_host_launch {
  const void* const* arguments;
  struct oxide_fault_record* fault;
  uint32_t grid[3];
  uint32_t block[3];
  uint64_t shared_bytes; /* of shared arrays whose size the launch decides */
  /* Calls of functions that call themselves do not go below this address of the calling thread's stack, but for 64 KiB. */
  uintptr_t stack_limit;
  struct oxide_host_resident* resident; /* of kernels that wait for their grid; else NULL */
};
typedef void (*oxide_host_kernel)(const struct oxide_host_launch* launch, uint64_t first_block, uint64_t end_block);

/* What host code keeps of each thread and of each block where threads wait for each other, and which blocks wait. Of the code as it was
 * made: what only a GPU does is not in it. */
struct oxide_host_needs {
  uint32_t thread_bytes;
  uint32_t block_bytes;    /* with shared arrays of a fixed size */
  uint32_t cluster_blocks; /* that one unit of a call runs: those of a cluster in which blocks meet; 0 and 1: one */
  uint32_t waits_for_grid; /* whether it is to be called with a resident grid */
};
static inline uint64_t oxide_host_block_bytes(const struct oxide_host_needs* needs, uint64_t threads, uint64_t shared_bytes) {
  return (needs->block_bytes + (threads + 63) / 64 * 64 * needs->thread_bytes + shared_bytes + 63) / 64 * 64;
}

struct oxide_jit_timing {
  double decode_ms, build_ms, optimize_ms, emit_ms; /* bytes to graph, graph to LLVM IR, passes, PTX or machine code */
};

/* An NVPTX kernel takes the launch arguments in the order of the parameters, then those of shared arrays, then, when it waits for its
 * grid, a pointer to an oxide_grid_barrier, then a pointer to its oxide_fault_record. */
struct oxide_jit_result {
  enum oxide_jit_status status;
  struct oxide_jit_text message; /* why, when status is not OK; may hold warnings when it is */
  struct oxide_jit_text ptx;     /* NVPTX */
  struct oxide_jit_text llvm_ir; /* OXIDE_JIT_KEEP_LLVM */
  struct oxide_jit_text assembly; /* OXIDE_JIT_KEEP_ASM */
  oxide_host_kernel entry;       /* HOST: lives until the result is released */
  const char* entry_name;        /* NVPTX: the .entry symbol */
  const struct oxide_fault_site* sites;
  uint64_t site_count;
  const struct oxide_local_array* local_arrays;
  uint64_t local_array_count;
  struct oxide_jit_timing timing;
  struct oxide_host_needs needs; /* HOST */
};

struct oxide_jit_info {
  uint32_t abi_version;
  const char* oxide_version;
  const char* llvm_version;
  const char* device_library; /* path of libdevice, "libclc (built in)", or "" */
  const char* host_cpu;
};

typedef const struct oxide_jit_info* (*oxide_jit_info_fn)(void);
typedef struct oxide_jit_result* (*oxide_jit_compile_fn)(const struct oxide_jit_request* request);
typedef void (*oxide_jit_release_fn)(struct oxide_jit_result* result);
typedef void (*oxide_jit_prepare_fn)(const struct oxide_jit_request* request);

#if defined(__GNUC__)
#define OXIDE_JIT_API __attribute__((visibility("default")))
#else
#define OXIDE_JIT_API
#endif

OXIDE_JIT_API const struct oxide_jit_info* oxide_jit_get_info(void);
/* Never returns NULL. The result is released with oxide_jit_release. */
OXIDE_JIT_API struct oxide_jit_result* oxide_jit_compile(const struct oxide_jit_request* request);
OXIDE_JIT_API void oxide_jit_release(struct oxide_jit_result* result);
/* Does now what the first compile for the request's target would have to do before it starts: call it on a thread that has the time.
 * The request's graph is not looked at. What is wrong with the request shows when something is compiled. */
OXIDE_JIT_API void oxide_jit_prepare(const struct oxide_jit_request* request);

#ifdef __cplusplus
}
#endif

#endif
