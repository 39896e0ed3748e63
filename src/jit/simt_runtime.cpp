#include "simt_runtime.hpp"

#include "block_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace oxide::jit {

namespace {

// Memory of the thread that runs blocks, kept for its next blocks.
class Scratch {
 public:
  static Scratch& of_thread() {
    static thread_local Scratch scratch;
    return scratch;
  }
  ~Scratch() { std::free(data_); }
  std::uint8_t* get(std::size_t bytes) {
    if (bytes > size_) {
      std::free(data_);
      size_ = (bytes + 4095) / 4096 * 4096;
      data_ = std::aligned_alloc(64, size_);
      if (data_ == nullptr) size_ = 0;
    }
    return static_cast<std::uint8_t*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// The blocks that are run together: one, or those of a cluster.
class UnitRunner {
 public:
  UnitRunner(const SimtKernel& kernel, const SimtPoint* points, const SimtRegion* regions, const oxide_host_launch& launch)
      : kernel_(kernel), points_(points), regions_(regions), launch_(launch) {
    const oxide_host_needs needs{kernel.thread_bytes, kernel.shared_bytes + std::uint32_t{sizeof(SimtState)}, 0, 0};
    block_bytes_ = oxide_host_block_bytes(&needs, std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2], launch.shared_bytes);
    for (int axis = 0; axis != 3; ++axis) count_ *= kernel.cluster[axis];
    if (launch.resident != nullptr) return;
    scratch_ = Scratch::of_thread().get(count_ * block_bytes_);
    if (scratch_ != nullptr) open(scratch_);
  }

  bool ready() const { return launch_.resident != nullptr || scratch_ != nullptr; }

  void run(std::uint64_t unit) {
    if (launch_.resident != nullptr) open(launch_.resident->blocks + unit * count_ * block_bytes_);
    place(unit);
    for (BlockRunner& block : blocks_) {
      if (launch_.resident == nullptr || launch_.resident->round == 0) block.start();
      else if (block.state().status == SimtState::waits_for_grid) block.go_on();
    }
    do {
      for (BlockRunner& block : blocks_) {
        if (block.state().status == SimtState::runs) block.advance();
        if (block.given_up()) return;
      }
    } while (pass_cluster_barrier());
    if (launch_.resident != nullptr) count_blocks(*launch_.resident);
  }

 private:
  void open(std::uint8_t* memory) {
    blocks_.clear();
    for (std::uint64_t i = 0; i != count_; ++i)
      blocks_.emplace_back(kernel_, points_, regions_, launch_, memory + i * block_bytes_, block_bytes_);
  }
  // A cluster's blocks are neighbours in the grid on each axis.
  void place(std::uint64_t unit) {
    const std::uint32_t (&size)[3] = kernel_.cluster;
    const std::uint64_t clusters_x = launch_.grid[0] / size[0], row = unit / clusters_x, clusters_y = launch_.grid[1] / size[1];
    const std::uint64_t cluster[] = {unit % clusters_x, row % clusters_y, row / clusters_y};
    for (std::uint32_t rank = 0; rank != count_; ++rank) {
      const std::uint32_t in[] = {rank % size[0], rank / size[0] % size[1], rank / size[0] / size[1]};
      std::uint32_t block[3];
      for (int axis = 0; axis != 3; ++axis) block[axis] = static_cast<std::uint32_t>(cluster[axis]) * size[axis] + in[axis];
      blocks_[rank].place_at(block);
    }
  }

  // A block passes when all that have not ended have arrived as often as it has. False when none did.
  bool pass_cluster_barrier() {
    BlockRunner* waiting = nullptr;
    bool passed = false;
    for (BlockRunner& block : blocks_) {
      if (block.state().status != SimtState::waits_for_cluster) continue;
      waiting = &block;
      if (late(block) != nullptr) continue;
      block.go_on();
      passed = true;
    }
    if (!passed && waiting != nullptr) waiting->wait_in_vain(late(*waiting)->state().point);
    return passed;
  }
  const BlockRunner* late(const BlockRunner& block) const {
    for (const BlockRunner& other : blocks_)
      if (other.state().status != SimtState::ended && other.state().arrivals <= block.state().waits) return &other;
    return nullptr;
  }

  void count_blocks(oxide_host_resident& all) const {
    for (const BlockRunner& block : blocks_) {
      if (block.state().status != SimtState::waits_for_grid) {
        __atomic_fetch_add(&all.ended, std::uint64_t{1}, __ATOMIC_RELAXED);
        continue;
      }
      __atomic_fetch_add(&all.waiting, std::uint64_t{1}, __ATOMIC_RELAXED);
      __atomic_store_n(&all.waiting_block, block.number(), __ATOMIC_RELAXED);
      const std::uint32_t site = points_[block.state().point].site;
      keep(all.first_site, site, [](std::uint32_t a, std::uint32_t b) { return a < b; });
      keep(all.last_site, site, [](std::uint32_t a, std::uint32_t b) { return a > b; });
    }
  }
  template <class Better>
  static void keep(std::uint32_t& best, std::uint32_t value, Better better) {
    std::uint32_t old = __atomic_load_n(&best, __ATOMIC_RELAXED);
    while (better(value, old) && !__atomic_compare_exchange_n(&best, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  }

  const SimtKernel& kernel_;
  const SimtPoint* points_;
  const SimtRegion* regions_;
  const oxide_host_launch& launch_;
  std::uint64_t count_ = 1, block_bytes_ = 0;
  std::uint8_t* scratch_ = nullptr;
  std::vector<BlockRunner> blocks_;
};

}  // namespace

extern "C" void oxide_simt_run(const SimtKernel* kernel, const SimtPoint* points, const SimtRegion* regions,
                               const oxide_host_launch* launch, std::uint64_t first, std::uint64_t end) {
  UnitRunner runner(*kernel, points, regions, *launch);
  if (!runner.ready()) {  // no memory: said as a failure without a site
    __atomic_store_n(&launch->fault->claimed, 1u, __ATOMIC_RELEASE);
    return;
  }
  for (std::uint64_t unit = first; unit != end; ++unit) runner.run(unit);
}

}  // namespace oxide::jit
