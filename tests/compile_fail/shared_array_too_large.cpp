// expect: a shared array has at most 1 MiB, and a block of today's GPUs 227 KiB
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
constexpr std::uint64_t rows = 1025;
#else
constexpr std::uint64_t rows = 1024;
#endif
constexpr auto k = ox::kernel("k", [](ox::Span<float> out) {
  ox::Shared2D<float, rows, 256> tile;
  tile(0, 0) = out[0];
});
