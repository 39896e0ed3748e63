// Runs one block of a kernel whose threads wait for each other.
#pragma once

#include "simt_warp.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace oxide::jit {

class BlockRunner {
 public:
  // In memory for one block, see oxide_host_block_bytes.
  BlockRunner(const SimtKernel& kernel, const SimtPoint* points, const SimtRegion* regions, const oxide_host_launch& launch,
              std::uint8_t* memory, std::uint64_t cluster_stride)
      : kernel_(kernel), points_(points), regions_(regions), launch_(launch), state_(reinterpret_cast<SimtState*>(memory)) {
    threads_ = launch.block[0] * launch.block[1] * launch.block[2];
    block_.launch = &launch;
    block_.stride = (threads_ + 63) / 64 * 64;
    block_.arrays = memory + sizeof(SimtState);
    block_.shared = block_.arrays + block_.stride * kernel.thread_bytes;
    block_.cluster_stride = cluster_stride;
    states_ = reinterpret_cast<std::uint32_t*>(operands().array(simt_states));
    group_size_ = kernel_.by_warp != 0 ? simt_warp : threads_;
    common_.resize((threads_ + group_size_ - 1) / group_size_);
  }

  const SimtState& state() const { return *state_; }
  bool given_up() const { return given_up_; }
  // Its linear index in the grid.
  std::uint64_t number() const {
    return block_.block[0] + launch_.grid[0] * (block_.block[1] + std::uint64_t{launch_.grid[1]} * block_.block[2]);
  }
  void place_at(const std::uint32_t (&block)[3]) { std::copy(block, block + 3, block_.block); }

  // All threads are at the start of the kernel.
  void start() {
    *state_ = {};
    given_up_ = false;
    std::fill(common_.begin(), common_.end(), simt_runs);
  }
  // Runs the block until it ends or waits for other blocks.
  void advance() {
    do {
      for (std::uint32_t group = 0; group != common_.size() && !given_up_; ++group) run_group(group);
    } while (!given_up_ && pass_barrier());
  }
  // What it waited for has come.
  void go_on() {
    if (state_->status == SimtState::waits_for_cluster) ++state_->waits;
    state_->status = SimtState::runs;
    leave_point(state_->point);
  }
  // Blocks that this one waits for do not come: one is at `other`, or has ended where that is no point.
  void wait_in_vain(std::uint32_t other) { missing(first_at(state_->point), other); }

 private:
  SimtOperands operands() const { return SimtOperands(block_); }
  bool at_barrier(std::uint32_t state) const {
    return state < kernel_.points && ir::row_of(static_cast<ir::Opcode>(points_[state].opcode)).effect == ir::Effect::block_collective;
  }

  // ---- groups: the threads of a warp; of a kernel without operations of a warp, all threads of the block. Mostly the threads of a group
  // have one state, which is `common_` of the group, and their places in `states_` say nothing.

  std::uint32_t first_of(std::uint32_t group) const { return group * group_size_; }
  std::uint32_t end_of(std::uint32_t group) const { return std::min(threads_, (group + 1) * group_size_); }
  std::uint32_t common_of(std::uint32_t first, std::uint32_t end) const {
    const bool same = std::all_of(states_ + first, states_ + end, [&](std::uint32_t s) { return s == states_[first]; });
    return same ? states_[first] : simt_mixed;
  }
  void spread(std::uint32_t group) {
    if (common_[group] != simt_mixed) std::fill(states_ + first_of(group), states_ + end_of(group), common_[group]);
  }

  // Runs a group until each of its threads waits at a barrier of the block or has exited.
  void run_group(std::uint32_t group) {
    std::uint32_t& common = common_[group];
    const std::uint32_t first = first_of(group), end = end_of(group);
    while (common != simt_mixed && !given_up_) {
      if (common == simt_exited || at_barrier(common)) return;
      const std::uint32_t point = common & ~simt_runs;
      if ((common & simt_runs) != 0) {
        common = run_together(point, first, end);
        continue;
      }
      const std::uint32_t lanes = 0xffffffffu >> (simt_warp - (end - first));
      if (run_warp(points_[point], first, lanes, lanes) == lanes) {
        common = point | simt_runs;
      } else {
        spread(group);
        common = simt_mixed;
      }
    }
    if (given_up_) return;
    run_apart(first, end);
    common = common_of(first, end);
  }

  // The region of a point, by all threads of a group; their new state, or simt_mixed.
  std::uint32_t run_together(std::uint32_t point, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t state = call_region(point, first, end);
    if (state != simt_failed && state != simt_mixed) return state;
    if (state == simt_failed) std::fill(states_ + first, states_ + end, state);
    if (kernel_.checks != 0) report_failures(first, end);
    return common_of(first, end);
  }
  std::uint32_t call_region(std::uint32_t point, std::uint32_t first, std::uint32_t end) const {
    const std::uint32_t width = launch_.block[0], row = first / width;
    const std::uint64_t states =
        regions_[point](&block_, first, end - first, first % width, row % launch_.block[1], row / launch_.block[1]);
    const auto least = static_cast<std::uint32_t>(states);
    return least == static_cast<std::uint32_t>(states >> 32) ? least : simt_mixed;
  }

  // ---- threads of a block

  // All threads that have not exited have to be at one barrier. Lets them go on; false when none is left.
  bool pass_barrier() {
    const std::uint32_t common = common_[0];
    if (common != simt_mixed && std::all_of(common_.begin(), common_.end(), [&](std::uint32_t c) { return c == common; })) {
      if (common == simt_exited) {
        state_->status = SimtState::ended;
        return false;
      }
      if (!crosses_blocks(points_[common])) {
        reduce_barrier(points_[common], [](std::uint32_t) { return true; });
        std::fill(common_.begin(), common_.end(), common | simt_runs);
        return true;
      }
    }
    for (std::uint32_t group = 0; group != common_.size(); ++group) spread(group);
    std::uint32_t point = simt_exited;
    for (std::uint32_t t = 0; t != threads_; ++t) {
      if (states_[t] == simt_exited) continue;
      if (point == simt_exited) point = states_[t];
      else if (states_[t] != point) return missing(states_[t] < point ? t : first_at(point), std::max(states_[t], point)), false;
    }
    if (point == simt_exited) {
      state_->status = SimtState::ended;
      return false;
    }
    if (crosses_blocks(points_[point])) return meet_blocks(point);
    reduce_barrier(points_[point], [&](std::uint32_t t) { return states_[t] != simt_exited; });
    leave_point(point);
    return true;
  }
  void leave_point(std::uint32_t point) {
    for (std::uint32_t t = 0; t != threads_; ++t)
      if (states_[t] == point) states_[t] = point | simt_runs;
    for (std::uint32_t group = 0; group != common_.size(); ++group) common_[group] = common_of(first_of(group), end_of(group));
  }

  // ---- barriers of several blocks; `states_` says where the threads are while the block waits

  static bool crosses_blocks(const SimtPoint& p) {
    const auto opcode = static_cast<ir::Opcode>(p.opcode);
    return opcode == ir::Opcode::grid_barrier || opcode == ir::Opcode::cluster_arrive || opcode == ir::Opcode::cluster_wait;
  }
  // False when the block waits there.
  bool meet_blocks(std::uint32_t point) {
    const SimtPoint& p = points_[point];
    state_->point = point;
    switch (static_cast<ir::Opcode>(p.opcode)) {
      case ir::Opcode::grid_barrier:
        for (std::uint32_t t = 0; t != threads_; ++t)  // here, threads that have ended are missing
          if (states_[t] == simt_exited) return missing(first_at(point), simt_exited), false;
        state_->status = SimtState::waits_for_grid;
        return false;
      case ir::Opcode::cluster_arrive:
        if (state_->arrivals != state_->waits) return out_of_turn(p), false;
        ++state_->arrivals;
        leave_point(point);
        return true;
      default:
        if (state_->arrivals == state_->waits) return out_of_turn(p), false;
        state_->status = SimtState::waits_for_cluster;
        return false;
    }
  }
  void out_of_turn(const SimtPoint& p) {
    report(p.site, OXIDE_COLLECTIVE_OUT_OF_TURN, 0, 0);
    given_up_ = true;
  }
  std::uint32_t first_at(std::uint32_t point) const {
    return static_cast<std::uint32_t>(std::find(states_, states_ + threads_, point) - states_);
  }
  template <class Here>
  void reduce_barrier(const SimtPoint& p, Here&& here) {
    const auto opcode = static_cast<ir::Opcode>(p.opcode);
    if (opcode == ir::Opcode::barrier) return;
    std::uint32_t count = 0, all = 0;
    for (std::uint32_t t = 0; t != threads_; ++t)
      if (here(t)) ++all, count += operands().operand(p, 0, t) != 0;
    const std::uint32_t result = opcode == ir::Opcode::barrier_count ? count
                                 : opcode == ir::Opcode::barrier_and ? count == all
                                                                     : count != 0;
    const std::size_t size = opcode == ir::Opcode::barrier_count ? 4 : 1;
    for (std::uint32_t t = 0; t != threads_; ++t)
      if (here(t)) operands().store(p, t, &result, size);
  }

  // ---- threads of a group that are at different places

  // Runs the threads [first, end) until each waits at a barrier of the block or has exited. Those that are furthest behind go first, so
  // that the others are caught up with where control flow meets again.
  void run_apart(std::uint32_t first, std::uint32_t end) {
    std::uint64_t not_before = 0;  // of a key: threads before it cannot go on
    for (;;) {
      std::uint64_t least = ~std::uint64_t{0};
      for (std::uint32_t t = first; t != end; ++t) {
        const std::uint32_t state = states_[t];
        if (state == simt_exited || at_barrier(state)) continue;
        least = std::min(least, key_of(state) < not_before ? ~std::uint64_t{0} : key_of(state));
      }
      if (least == ~std::uint64_t{0}) {
        if (not_before != 0) stuck(first, end);
        return;
      }
      const auto point = static_cast<std::uint32_t>(least >> 1);
      if ((least & 1) != 0) {
        run_region(point, first, end);
        not_before = 0;
      } else if (run_waiting(points_[point], point, first, end)) {
        not_before = 0;
      } else {
        not_before = least + 1;
      }
      if (given_up_) return;
    }
  }
  // A point's operation comes before its region.
  static std::uint64_t key_of(std::uint32_t state) { return std::uint64_t{state & ~simt_runs} << 1 | (state >> 31); }

  void run_region(std::uint32_t point, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t wanted = point | simt_runs;
    for (std::uint32_t t = first; t != end;) {
      if (states_[t] != wanted) {
        ++t;
        continue;
      }
      std::uint32_t last = t + 1;
      while (last != end && states_[last] == wanted) ++last;
      if (const std::uint32_t state = call_region(point, t, last); state != simt_mixed) std::fill(states_ + t, states_ + last, state);
      if (kernel_.checks != 0) report_failures(t, last);
      t = last;
    }
  }
  void report_failures(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t t = first; t != end; ++t) {
      if (states_[t] != simt_failed) continue;
      states_[t] = simt_exited;
      const auto value = [&](int i) { return reinterpret_cast<const std::uint64_t*>(operands().array(simt_failed_values[i]))[t]; };
      report(reinterpret_cast<const std::uint32_t*>(operands().array(simt_failed_site))[t], value(0), value(1), t);
    }
  }

  // ---- operations of a warp

  // Does the operation for those threads of [first, end) that wait at it and whose masks' lanes are all there. False when there are none.
  bool run_waiting(const SimtPoint& p, std::uint32_t point, std::uint32_t first, std::uint32_t end) {
    std::uint32_t here = 0, alive = 0;
    for (std::uint32_t t = first; t != end; ++t) {
      here |= std::uint32_t{states_[t] == point} << (t - first);
      alive |= std::uint32_t{states_[t] != simt_exited} << (t - first);
    }
    const std::uint32_t done = run_warp(p, first, here, alive);
    each_lane(done, [&](std::uint32_t lane) { states_[first + lane] = point | simt_runs; });
    return done != 0 || given_up_;
  }
  // The same for the lanes that are `here`; those that did it.
  std::uint32_t run_warp(const SimtPoint& p, std::uint32_t first, std::uint32_t here, std::uint32_t alive) {
    if (p.collective == 0) return 0;
    const auto opcode = static_cast<ir::Opcode>(p.opcode);
    if (opcode == ir::Opcode::active_mask) {
      each_lane(here, [&](std::uint32_t lane) { operands().store(p, first + lane, &here, 4); });
      return here;
    }
    const std::size_t mask_operand = ir::row_of(opcode).operands - 1u;
    std::uint32_t done = 0;
    for (std::uint32_t left = here; left != 0;) {
      const auto leader = static_cast<std::uint32_t>(__builtin_ctz(left));
      const auto mask = static_cast<std::uint32_t>(operands().operand(p, mask_operand, first + leader));
      std::uint32_t group = 0;
      each_lane(left, [&](std::uint32_t lane) {
        if (operands().operand(p, mask_operand, first + lane) == mask) group |= 1u << lane;
      });
      left &= ~group;
      if ((group & ~mask) != 0) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(group & ~mask));
        report(p.site, OXIDE_COLLECTIVE_NOT_NAMED, mask, first + lane);
        given_up_ = true;
        return 0;
      }
      if ((mask & alive) != group) continue;
      warp_operation(operands(), p, opcode, group, first);
      done |= group;
    }
    return done;
  }
  // ---- failures

  // No thread of the group can go on: some wait at an operation of the warp for lanes that wait elsewhere.
  void stuck(std::uint32_t first, std::uint32_t end) {
    std::uint32_t waiting = end;
    for (std::uint32_t t = first; t != end && waiting == end; ++t)
      if (states_[t] != simt_exited && !at_barrier(states_[t])) waiting = t;
    if (waiting == end) return;
    std::uint32_t other = states_[waiting];
    for (std::uint32_t t = first; t != end; ++t)
      if (states_[t] != simt_exited && states_[t] != states_[waiting]) other = states_[t];
    missing(waiting, other);
  }
  void missing(std::uint32_t thread, std::uint32_t other) {
    const std::uint64_t site = other < kernel_.points ? points_[other].site : std::numeric_limits<std::uint64_t>::max();
    report(points_[states_[thread]].site, OXIDE_COLLECTIVE_ELSEWHERE, site, thread);
    given_up_ = true;
  }
  void report(std::uint32_t site, std::uint64_t first, std::uint64_t second, std::uint32_t thread) {
    oxide_fault_record& record = *launch_.fault;
    std::uint32_t unclaimed = 0;
    if (!__atomic_compare_exchange_n(&record.claimed, &unclaimed, 1u, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    record.site = site;
    record.values[0] = first;
    record.values[1] = second;
    const std::uint32_t row = thread / launch_.block[0];
    const std::uint32_t place[] = {thread % launch_.block[0], row % launch_.block[1], row / launch_.block[1]};
    for (int axis = 0; axis != 3; ++axis) {
      record.block[axis] = block_.block[axis];
      record.thread[axis] = place[axis];
    }
    __atomic_store_n(&record.ready, 1u, __ATOMIC_RELEASE);
  }

  const SimtKernel& kernel_;
  const SimtPoint* points_;
  const SimtRegion* regions_;
  const oxide_host_launch& launch_;
  SimtState* state_;
  SimtBlock block_{};

  std::uint32_t threads_ = 0, group_size_ = 0;
  std::uint32_t* states_ = nullptr;  // of each thread
  std::vector<std::uint32_t> common_;  // of each group
  bool given_up_ = false;  // the block's other threads cannot go on
};

}  // namespace oxide::jit
