// Grids whose blocks all live at once: kernels that wait for their whole grid.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>
#include <oxide/runtime/launch_config.hpp>

namespace oxide::runtime::cpu {

// What the blocks of such a grid may keep, together: the variables that live across barriers, and shared memory.
inline constexpr std::uint64_t most_resident_bytes = std::uint64_t{1} << 30;

// The blocks' memory during a launch, and how far they have come.
class ResidentBlocks {
 public:
  // Throws LaunchError when more blocks are asked for than may live at once, DeviceError when there is no memory for them.
  ResidentBlocks(const ir::Graph& graph, const oxide_host_needs& needs, const LaunchConfig& config, std::uint64_t shared_bytes)
      : config_(config) {
    const std::uint64_t bytes = oxide_host_block_bytes(&needs, config.threads_per_block(), shared_bytes);
    const std::uint64_t blocks = config.grid.count(), most = most_resident_bytes / bytes;
    if (blocks > most)
      throw LaunchError(graph.name, -1,
                        "at most " + std::to_string(most) + " blocks of " + std::to_string(config.threads_per_block()) +
                            " threads, because the kernel is cooperative and all of them live at once (" + std::to_string(bytes) +
                            " bytes each, of " + std::to_string(most_resident_bytes) + ")",
                        std::to_string(blocks) + " (grid " + config.grid.text() + ")");
    memory_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(64, bytes * blocks)));
    if (memory_ == nullptr)
      throw DeviceError("making room for the " + std::to_string(blocks) + " blocks of kernel '" + graph.name + "'", "out of memory");
    state.blocks = memory_.get();
  }

  // Before each round.
  void open_round() {
    state.waiting = state.ended = 0;
    state.first_site = std::numeric_limits<std::uint32_t>::max();
    state.last_site = 0;
  }
  // Whether there is another round after this one. Blocks that do not meet are a fault.
  bool close_round(oxide_fault_record& fault) {
    if (fault.claimed != 0 || state.waiting == 0) return false;
    ++state.round;
    if (state.ended == 0 && state.first_site == state.last_site) return true;
    fault.claimed = fault.ready = 1;
    fault.site = state.first_site;
    fault.values[0] = OXIDE_COLLECTIVE_ELSEWHERE;
    fault.values[1] = state.first_site != state.last_site ? state.last_site : std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t block = state.waiting_block, row = block / config_.grid.x;
    fault.block[0] = static_cast<std::uint32_t>(block % config_.grid.x);
    fault.block[1] = static_cast<std::uint32_t>(row % config_.grid.y);
    fault.block[2] = static_cast<std::uint32_t>(row / config_.grid.y);
    return false;
  }

  oxide_host_resident state{};

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  const LaunchConfig& config_;
  std::unique_ptr<std::uint8_t, Free> memory_;
};

}  // namespace oxide::runtime::cpu
