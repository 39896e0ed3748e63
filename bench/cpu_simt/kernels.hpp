// Kernels whose threads share memory, as oxide has them and as OpenCL C has them.
#pragma once

#include <array>
#include <cstdint>

#include <oxide/oxide.hpp>

namespace oxide::bench {

// C = A B: 32 x 8 threads make a tile of 32 x 32, each four rows of it.
inline constexpr std::uint32_t tile = 32, tile_rows = 4, tile_step = tile / tile_rows;

inline constexpr auto tiled_gemm =
    oxide::kernel("tiled_gemm", [](oxide::u32 n, oxide::Span<const float> a, oxide::Span<const float> b, oxide::Span<float> c) {
      oxide::Shared2D<float, tile, tile> a_tile, b_tile;
      const oxide::u32 x = oxide::thread_idx.x(), y = oxide::thread_idx.y();
      const oxide::u64 column = oxide::block_idx.x() * tile + x, first_row = oxide::block_idx.y() * tile;
      std::array<oxide::f32, tile_rows> sums;
      for (auto first : oxide::range(oxide::u32(0), n, tile)) {
        for (std::uint32_t k = 0; k != tile; k += tile_step) {
          const oxide::u32 row = y + k;
          a_tile(row, x) = a[(first_row + row) * n + (first + x)];
          b_tile(row, x) = b[oxide::u64(first + row) * n + column];
        }
        oxide::sync_threads();
        for (std::uint32_t k = 0; k != tile; ++k) {
          oxide::f32 factor = b_tile(k, x);
          for (std::uint32_t r = 0; r != tile_rows; ++r) sums[r] += a_tile(y + r * tile_step, k) * factor;
        }
        oxide::sync_threads();
      }
      for (std::uint32_t r = 0; r != tile_rows; ++r) c.unchecked_mut((first_row + (y + r * tile_step)) * n + column) = sums[r];
    }).block(tile, tile_step);

inline constexpr const char* tiled_gemm_in_opencl = R"(
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void tiled_gemm(uint n, __global const float* restrict a, __global const float* restrict b, __global float* restrict c) {
  __local float a_tile[32][32], b_tile[32][32];
  const uint x = get_local_id(0), y = get_local_id(1);
  const ulong column = get_group_id(0) * 32 + x, first_row = get_group_id(1) * 32;
  float sums[4] = {0, 0, 0, 0};
  for (uint first = 0; first < n; first += 32) {
    for (uint k = 0; k != 32; k += 8) {
      const uint row = y + k;
      a_tile[row][x] = a[(first_row + row) * n + (first + x)];
      b_tile[row][x] = b[(ulong)(first + row) * n + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint k = 0; k != 32; ++k) {
      const float factor = b_tile[k][x];
      #pragma unroll
      for (uint r = 0; r != 4; ++r) sums[r] += a_tile[y + r * 8][k] * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = 0; r != 4; ++r) c[(first_row + (y + r * 8)) * n + column] = sums[r];
})";

// The sums of what each block has: every thread sums its part, then halves of the block are added to each other.
inline constexpr std::uint32_t reduce_threads = 256;

inline constexpr auto reduce = oxide::kernel("reduce", [](oxide::Span<const float> in, oxide::Span<float> sums) {
                                 oxide::Shared<float, reduce_threads> partial;
                                 const oxide::u32 t = oxide::thread_idx.x();
                                 oxide::f32 sum = 0;
                                 for (auto i : oxide::grid_stride(in.size())) sum += in[i];
                                 partial[t] = sum;
                                 oxide::sync_threads();
                                 for (std::uint32_t half = reduce_threads / 2; half != 0; half /= 2) {
                                   if (t < half) partial[t] += partial[t + half];
                                   oxide::sync_threads();
                                 }
                                 if (t == 0u) sums.unchecked_mut(oxide::block_idx.x()) = partial[0];
                               }).block(reduce_threads);

inline constexpr const char* reduce_in_opencl = R"(
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(__global const float* restrict in, ulong n, __global float* restrict sums) {
  __local float partial[256];
  const uint t = get_local_id(0);
  float sum = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 128; half_size != 0; half_size /= 2) {
    if (t < half_size) partial[t] += partial[t + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) sums[get_group_id(0)] = partial[0];
})";

// A blur of 3 x 3: the block's part of the picture and its rim through shared memory.
inline constexpr std::uint32_t stencil_x = 64, stencil_y = 4;

inline constexpr auto stencil =
    oxide::kernel("stencil", [](oxide::u32 width, oxide::u32 height, oxide::Span<const float> in, oxide::Span<float> out) {
      oxide::Shared2D<float, stencil_y + 2, stencil_x + 2> part;
      const oxide::u32 x = oxide::thread_idx.x(), y = oxide::thread_idx.y();
      const oxide::u32 left = oxide::block_idx.x() * stencil_x, top = oxide::block_idx.y() * stencil_y;
      const auto read = [&](oxide::u32 px, oxide::u32 py) {  // of the rim, which the picture's edge repeats
        const oxide::u32 column = oxide::min(oxide::max(left + px, 1u) - 1u, width - 1u),
                         row = oxide::min(oxide::max(top + py, 1u) - 1u, height - 1u);
        part(py, px) = in[oxide::u64(row) * width + column];
      };
      read(x, y);
      if (x < 2u) read(x + stencil_x, y);
      if (y < 2u) {
        read(x, y + stencil_y);
        if (x < 2u) read(x + stencil_x, y + stencil_y);
      }
      oxide::sync_threads();
      oxide::f32 sum = 0;
      for (std::uint32_t dy = 0; dy != 3; ++dy)
        for (std::uint32_t dx = 0; dx != 3; ++dx) sum += part(y + dy, x + dx) * static_cast<float>((dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1));
      const oxide::u32 column = left + x, row = top + y;
      if (column < width && row < height) out.unchecked_mut(oxide::u64(row) * width + column) = sum * 0.0625f;
    }).block(stencil_x, stencil_y);

inline constexpr const char* stencil_in_opencl = R"(
#define READ(px, py)                                                                            \
  do {                                                                                          \
    const uint column = min(max(left + (px), 1u) - 1u, width - 1u), row = min(max(top + (py), 1u) - 1u, height - 1u); \
    part[py][px] = in[(ulong)row * width + column];                                             \
  } while (0)
__kernel __attribute__((reqd_work_group_size(64, 4, 1)))
void stencil(uint width, uint height, __global const float* restrict in, __global float* restrict out) {
  __local float part[6][66];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint left = get_group_id(0) * 64, top = get_group_id(1) * 4;
  READ(x, y);
  if (x < 2) READ(x + 64, y);
  if (y < 2) {
    READ(x, y + 4);
    if (x < 2) READ(x + 64, y + 4);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  #pragma unroll
  for (uint dy = 0; dy != 3; ++dy)
    #pragma unroll
    for (uint dx = 0; dx != 3; ++dx) sum += part[y + dy][x + dx] * (float)((dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1));
  const uint column = left + x, row = top + y;
  if (column < width && row < height) out[(ulong)row * width + column] = sum * 0.0625f;
})";

}  // namespace oxide::bench
