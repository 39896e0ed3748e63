// Host code of the regions of a kernel, see regions.hpp.
#pragma once

#include "llvm.hpp"
#include "regions.hpp"
#include "simt_runtime.hpp"

#include <cstdint>
#include <vector>

namespace oxide::jit {

// Where the variables that live from region to region are: see simt_runtime.hpp.
struct Arrays {
  std::vector<std::uint32_t> name;  // of each variable that is kept, and of each array of the threads' own
  bool local = false;               // there are such
  std::uint32_t thread_bytes = simt_first_array;

  explicit Arrays(const Regions& regions);
  // As much as a thread's part takes: the next thread's is aligned too.
  static std::uint64_t size_of(const ir::ArrayShape& shape) { return (std::uint64_t{shape.size} * shape.count + 15) / 16 * 16; }
};

// Makes the function of the region behind a point, a SimtRegion.
llvm::Function* make_region(const Regions& regions, std::uint32_t point, const Arrays& arrays, llvm::Module& module);

}  // namespace oxide::jit
