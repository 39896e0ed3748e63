// The four kernels that are compiled by both sides, in oxide's language and in CUDA C++: the same algorithm, line by line. VARIANT makes
// kernels of one shape that no cache can take for each other.
#pragma once

#include <oxide/oxide.hpp>

namespace oxide::bench {

template <int Variant>
inline constexpr auto vecadd = kernel("vecadd", [](Span<const float> a, Span<const float> b, DisjointSpan<float> c) {
  auto i = thread::index_1d();
  if (auto out = c.get_mut(i)) *out = a[i] + b[i] + static_cast<float>(Variant);
});

inline constexpr char vecadd_cuda[] = R"(
extern "C" __global__ void vecadd(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                  unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + (float)VARIANT;
}
)";

inline constexpr std::uint32_t stencil_width = 4096;

template <int Variant>
inline constexpr auto stencil = kernel("stencil", [](Span<const float> in, DisjointSpan<float, Grid2D<stencil_width>> out, u32 rows) {
  auto i = thread::index_2d<stencil_width>();
  u32 row = i.row(), col = i.col();
  if (auto e = out.get_mut(i)) {
    if (row > 0 && row < rows - 1 && col > 0 && col < stencil_width - 1) {
      u64 at = i.value();
      f32 sum = in[at - stencil_width] + in[at + stencil_width] + in[at - 1] + in[at + 1];
      *e = 0.25f * sum + static_cast<float>(Variant) * in[at];
    } else {
      *e = in[i];
    }
  }
});

inline constexpr char stencil_cuda[] = R"(
extern "C" __global__ void stencil(const float* __restrict__ in, float* __restrict__ out, unsigned long long n, unsigned rows) {
  const unsigned width = 4096;
  unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned long long at = (unsigned long long)row * width + col;
  if (col < width && at < n) {
    if (row > 0 && row < rows - 1 && col > 0 && col < width - 1) {
      float sum = in[at - width] + in[at + width] + in[at - 1] + in[at + 1];
      out[at] = 0.25f * sum + (float)VARIANT * in[at];
    } else {
      out[at] = in[at];
    }
  }
}
)";

template <int Variant>
inline constexpr auto branches = kernel("branches", [](Span<const float> a, Span<const float> b, DisjointSpan<float> c) {
  auto i = thread::index_1d();
  if (auto out = c.get_mut(i)) {
    f32 x = a[i], y = b[i] + static_cast<float>(Variant);
    if (x > -0.8f) x = x * 0.69f - 5.1f;
    if (x < y) y = y - 1.0f * x;
    if (y > 4.7f) y = y * 0.62f;
    if (x * y < 5.9f) x = x + 6.5f;
    if (x > -3.6f) x = x * 0.54f - 1.2f;
    if (x < y) y = y - 0.9f * x;
    if (y > -2.9f) y = y * 0.61f;
    if (x * y < 1.8f) x = x + 7.3f;
    if (x > -5.9f) x = x * 0.78f - 8.1f;
    if (x < y) y = y - 0.8f * x;
    if (y > 5.7f) y = y * 1.24f;
    if (x * y < -7.8f) x = x + 0.6f;
    if (x > 5.2f) x = x * 0.67f - 3.8f;
    if (x < y) y = y - 7.0f * x;
    if (y > -6.0f) y = y * 1.23f;
    if (x * y < 5.3f) x = x + 2.4f;
    if (x > -6.4f) x = x * 1.24f - 7.4f;
    if (x < y) y = y - 4.8f * x;
    if (y > -6.6f) y = y * 1.20f;
    if (x * y < 5.4f) x = x + 8.0f;
    if (x > -3.8f) x = x * 1.13f - 8.8f;
    if (x < y) y = y - 4.1f * x;
    if (y > 2.9f) y = y * 1.24f;
    if (x * y < 0.2f) x = x + 3.2f;
    if (x > -4.4f) x = x * 1.39f - 3.2f;
    if (x < y) y = y - 3.9f * x;
    if (y > 4.4f) y = y * 1.13f;
    if (x * y < 2.4f) x = x + 7.8f;
    if (x > -7.2f) x = x * 0.65f - 6.6f;
    if (x < y) y = y - 4.4f * x;
    if (y > -5.2f) y = y * 1.12f;
    if (x * y < -8.0f) x = x + 1.0f;
    if (x > 5.2f) x = x * 1.23f - 4.1f;
    if (x < y) y = y - 4.5f * x;
    if (y > 6.2f) y = y * 1.13f;
    if (x * y < 2.6f) x = x + 1.2f;
    if (x > -2.1f) x = x * 1.10f - 9.0f;
    if (x < y) y = y - 0.8f * x;
    if (y > 8.9f) y = y * 0.89f;
    if (x * y < 5.7f) x = x + 5.8f;
    *out = x + y;
  }
});

inline constexpr char branches_cuda[] = R"(
extern "C" __global__ void branches(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                    unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], y = b[i] + (float)VARIANT;
  if (x > -0.8f) x = x * 0.69f - 5.1f;
  if (x < y) y = y - 1.0f * x;
  if (y > 4.7f) y = y * 0.62f;
  if (x * y < 5.9f) x = x + 6.5f;
  if (x > -3.6f) x = x * 0.54f - 1.2f;
  if (x < y) y = y - 0.9f * x;
  if (y > -2.9f) y = y * 0.61f;
  if (x * y < 1.8f) x = x + 7.3f;
  if (x > -5.9f) x = x * 0.78f - 8.1f;
  if (x < y) y = y - 0.8f * x;
  if (y > 5.7f) y = y * 1.24f;
  if (x * y < -7.8f) x = x + 0.6f;
  if (x > 5.2f) x = x * 0.67f - 3.8f;
  if (x < y) y = y - 7.0f * x;
  if (y > -6.0f) y = y * 1.23f;
  if (x * y < 5.3f) x = x + 2.4f;
  if (x > -6.4f) x = x * 1.24f - 7.4f;
  if (x < y) y = y - 4.8f * x;
  if (y > -6.6f) y = y * 1.20f;
  if (x * y < 5.4f) x = x + 8.0f;
  if (x > -3.8f) x = x * 1.13f - 8.8f;
  if (x < y) y = y - 4.1f * x;
  if (y > 2.9f) y = y * 1.24f;
  if (x * y < 0.2f) x = x + 3.2f;
  if (x > -4.4f) x = x * 1.39f - 3.2f;
  if (x < y) y = y - 3.9f * x;
  if (y > 4.4f) y = y * 1.13f;
  if (x * y < 2.4f) x = x + 7.8f;
  if (x > -7.2f) x = x * 0.65f - 6.6f;
  if (x < y) y = y - 4.4f * x;
  if (y > -5.2f) y = y * 1.12f;
  if (x * y < -8.0f) x = x + 1.0f;
  if (x > 5.2f) x = x * 1.23f - 4.1f;
  if (x < y) y = y - 4.5f * x;
  if (y > 6.2f) y = y * 1.13f;
  if (x * y < 2.6f) x = x + 1.2f;
  if (x > -2.1f) x = x * 1.10f - 9.0f;
  if (x < y) y = y - 0.8f * x;
  if (y > 8.9f) y = y * 0.89f;
  if (x * y < 5.7f) x = x + 5.8f;
  c[i] = x + y;
}
)";

template <int Variant>
inline constexpr auto nbody = kernel("nbody", [](Span<const float> x, Span<const float> y, Span<const float> z, Span<const float> mass,
                                                 DisjointSpan<float> ax, DisjointSpan<float> ay, DisjointSpan<float> az) {
  auto i = thread::index_1d();
  if (i >= x.size()) return;
  f32 px = x[i], py = y[i], pz = z[i];
  f32 sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
  for (auto j : range(x.size())) {
    f32 dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    f32 distance2 = dx * dx + dy * dy + dz * dz + (1e-3f + static_cast<float>(Variant));
    f32 inverse = 1.0f / sqrt(distance2);
    f32 pull = mass[j] * inverse * inverse * inverse;
    sum_x += pull * dx;
    sum_y += pull * dy;
    sum_z += pull * dz;
  }
  if (auto e = ax.get_mut(i)) *e = sum_x;
  if (auto e = ay.get_mut(i)) *e = sum_y;
  if (auto e = az.get_mut(i)) *e = sum_z;
});

inline constexpr char nbody_cuda[] = R"(
extern "C" __global__ void nbody(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
                                 const float* __restrict__ mass, float* __restrict__ ax, float* __restrict__ ay, float* __restrict__ az,
                                 unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float px = x[i], py = y[i], pz = z[i];
  float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
  for (unsigned long long j = 0; j < n; ++j) {
    float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    float distance2 = dx * dx + dy * dy + dz * dz + (1e-3f + (float)VARIANT);
    float inverse = 1.0f / sqrtf(distance2);
    float pull = mass[j] * inverse * inverse * inverse;
    sum_x += pull * dx;
    sum_y += pull * dy;
    sum_z += pull * dz;
  }
  ax[i] = sum_x;
  ay[i] = sum_y;
  az[i] = sum_z;
}
)";

}  // namespace oxide::bench
