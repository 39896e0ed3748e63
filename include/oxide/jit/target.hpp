// What code is made for: an NVIDIA architecture with the PTX version that the driver takes, or this machine's CPU.
#pragma once

#include <cstdint>
#include <string>

#include <oxide/jit/abi.h>
#include <oxide/linkage.hpp>

namespace oxide::jit {

struct Target {
  oxide_jit_target kind = OXIDE_JIT_HOST;
  std::uint32_t sm = 0;           // compute capability, 10 * major + minor
  std::uint32_t ptx_version = 0;  // the newest PTX ISA that may be used, 10 * major + minor; 0 for the oldest that sm needs

  static constexpr Target host() { return {}; }
  // Example: compile_text(Target::nvptx(90), graph).ptx
  static constexpr Target nvptx(std::uint32_t sm, std::uint32_t ptx_version = 0) { return {OXIDE_JIT_NVPTX, sm, ptx_version}; }

  constexpr bool is_host() const { return kind == OXIDE_JIT_HOST; }
  std::string text() const;
  friend constexpr bool operator==(const Target&, const Target&) = default;
};

namespace detail {

struct PtxRow {
  std::uint32_t driver;  // as cuDriverGetVersion gives it: 1000 * major + 10 * minor
  std::uint32_t ptx;
};
// PTX ISA, "PTX ISA release history". CUDA 12.6 has no PTX version of its own.
inline constexpr PtxRow ptx_rows[] = {{12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
                                      {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91}};

struct ArchitectureRow {
  std::uint32_t sm;
  std::uint32_t ptx;  // the oldest PTX ISA with it
};
// PTX ISA, ".target".
inline constexpr ArchitectureRow architecture_rows[] = {{75, 63}, {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78},
                                                        {90, 78}, {100, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};

}  // namespace detail

inline constexpr std::uint32_t oldest_sm = detail::architecture_rows[0].sm;
inline constexpr std::uint32_t oldest_driver = detail::ptx_rows[0].driver;

// The newest PTX version that a driver takes; 0 when the driver is older than oldest_driver.
constexpr std::uint32_t ptx_version_of_driver(std::uint32_t driver_version) {
  std::uint32_t found = 0;
  for (const detail::PtxRow& row : detail::ptx_rows)
    if (row.driver <= driver_version) found = row.ptx;
  return found;
}

// The target for a device: the newest known architecture that is not newer than the device and that the driver's PTX has. PTX for an
// older architecture runs on every newer one, so a device newer than this table is served too. sm 0 when the device is too old.
constexpr Target target_of_device(std::uint32_t device_sm, std::uint32_t driver_version) {
  const std::uint32_t ptx = ptx_version_of_driver(driver_version);
  Target best = Target::nvptx(0, ptx);
  for (const detail::ArchitectureRow& row : detail::architecture_rows)
    if (row.sm <= device_sm && row.ptx <= ptx && row.sm > best.sm) best.sm = row.sm;
  return best;
}

}  // namespace oxide::jit

#ifndef OXIDE_LINKED
#include <oxide/jit/target_implementation.hpp>
#endif
