// ox::device::Reduce: one value of all elements of a buffer. Not in the umbrella.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <oxide/algorithm/access.hpp>
#include <oxide/dsl/block.hpp>
#include <oxide/dsl/kernel.hpp>
#include <oxide/error.hpp>
#include <oxide/runtime/buffer.hpp>

namespace oxide {
namespace device {

struct ReduceTuning {
  std::uint32_t threads = 256, vectors = 4;  // of a block; of 16 bytes, that a thread reads at once
  std::uint32_t blocks = 8;                  // of a multiprocessor
  friend constexpr bool operator==(const ReduceTuning&, const ReduceTuning&) = default;
};

}  // namespace device

namespace detail::reduction {

// Of all threads of the block; in thread 0.
template <std::uint32_t threads, class T, class Op>
Value<T> of_block(const Value<T>& x, const Value<T>& identity, const Shared<T, threads / warp_size>& totals, Op op) {
  const auto warp_sum = [&](const Value<T>& start) {
    Value<T> sum = start;
    for (std::uint32_t d = warp_size / 2; d != 0; d /= 2) sum = op(Value<T>(sum), Value<T>(warp::shfl_xor(sum, d)));
    return sum;
  };
  const Value<T> sum = warp_sum(x);
  sync_threads();
  if (warp::lane_id() == 0u) totals.unchecked(warp::warp_id()) = sum;
  sync_threads();
  constexpr std::uint32_t warps = threads / warp_size;
  const u32 lane = warp::lane_id();
  return warp_sum(select(lane < warps, Value<T>(totals.unchecked(min(lane, u32(warps - 1)))), Value<T>(identity)));
}

// Every block reduces its share; the one that is done last reduces what the others have written. `done` counts them, and is zero again.
template <class T, class Op, device::ReduceTuning tuning>
inline constexpr auto kernel_of =
    kernel("reduce",
           [](Value<T> identity, Span<const T> in, Span<T> parts, Span<std::uint32_t> done, Span<T> out) {
             constexpr std::uint32_t threads = tuning.threads, each = 16 / sizeof(T), at_once = tuning.vectors,
                                     tile = threads * each * at_once;
             Shared<T, threads / warp_size> totals;
             Shared<std::uint32_t, 1> last;
             Op op;
             const u32 t = thread_idx.x();
             const u64 n = in.size(), tiles = n / tile;
             std::array<Value<T>, each> sums;
             for (Value<T>& sum : sums) sum = identity;
             for (const auto& i : range(u64(block_idx.x()), tiles, u64(grid_dim.x()))) {
               const u64 first = i * tile + t * each;
               std::array<std::array<Value<T>, each>, at_once> x;
               for (std::uint32_t k = 0; k != at_once; ++k) {
                 const Value<Vector<T, each>> v = unchecked_vector<each>(in, first + k * (threads * each));
                 const auto numbers = handles_of<Vector<T, each>>(v);
                 for (std::uint32_t e = 0; e != each; ++e) x[k][e] = Value<T>::from_handle(numbers.of[e], Where::current());
               }
               for (std::uint32_t k = 0; k != at_once; ++k)
                 for (std::uint32_t e = 0; e != each; ++e) sums[e] = op(Value<T>(sums[e]), Value<T>(x[k][e]));
             }
             for (auto i : range(tiles * tile + u64(block_idx.x()) * threads + t, n, u64(grid_dim.x()) * threads))
               sums[0] = op(Value<T>(sums[0]), unchecked(in, i));
             for (std::uint32_t e = 1; e != each; ++e) sums[0] = op(Value<T>(sums[0]), Value<T>(sums[e]));
             const Value<T> part = of_block<threads>(sums[0], identity, totals, op);
             if (t == 0u) {
               parts.unchecked_mut(block_idx.x()) = part;
    // Behind what this block has written, before what the others have.
               last[0] = unchecked_atomic(done, 0).fetch_add(1u, MemoryOrder::acq_rel);
             }
             sync_threads();
             if (last.unchecked(0) == grid_dim.x() - 1u) {
               fence<Scope::device>();
               Value<T> sum = identity;
               for (auto i : range(t, grid_dim.x(), u32(threads))) sum = op(Value<T>(sum), Value<T>(parts.unchecked_mut(i)));
               const Value<T> all = of_block<threads>(sum, identity, totals, op);
               if (t == 0u) {
                 out.unchecked_mut(0) = all;
                 done.unchecked_mut(0) = 0u;
               }
             }
           })
        .block(tuning.threads)
        .launch_bounds(tuning.threads, tuning.blocks);

}  // namespace detail::reduction

namespace device {

// Reduces buffers with an operation that is associative and commutes; op(identity, x) is x. `Op` is a lambda's type. The result is the same
// each time on one device. Uses of one object follow one another in one stream.
// Example: ox::device::Reduce sum(stream, 0.0f, [](ox::f32 a, ox::f32 b) { return a + b; });  sum(stream, in, out);  // out[0]
template <class T, class Op, ReduceTuning tuning = ReduceTuning{}>
class Reduce {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "oxide: ox::device::Reduce reduces numbers of 4 or 8 bytes");
  static_assert(tuning.threads % 32 == 0 && tuning.threads >= 32 && tuning.threads <= 1024 && tuning.vectors >= 1);

 public:
  // Throws DeviceError.
  Reduce(const Stream& stream, T identity, Op)
      : identity_(identity), blocks_(std::max(1u, stream.state().device->properties.multiprocessors) * tuning.blocks),
        parts_(DeviceBuffer<T>::uninitialized(stream, blocks_)), done_(DeviceBuffer<std::uint32_t>::zeroed(stream, 1)) {}

  // out[0] is what all elements of `in` give; the identity, where there are none. Throws Error when `out` is empty, DeviceError.
  void operator()(const Stream& stream, const DeviceBuffer<T>& in, DeviceBuffer<T>& out) {
    if (out.empty()) throw Error("ox::device::Reduce writes one element, and the buffer for it is empty");
    constexpr std::size_t least = std::size_t{tuning.threads} * 16;  // elements that are worth a block
    const auto blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(in.size() / least, 1, blocks_));
    detail::reduction::kernel_of<T, Op, tuning>(stream, {.grid = blocks, .block = tuning.threads}, identity_, in, parts_, done_, out);
  }

 private:
  T identity_;
  std::uint32_t blocks_;
  DeviceBuffer<T> parts_;
  DeviceBuffer<std::uint32_t> done_;
};

}  // namespace device
}  // namespace oxide
