// What a launch passes for one parameter of a kernel.
#pragma once

#include <cstdint>

#include <oxide/ir/graph.hpp>

namespace oxide::runtime {

inline constexpr std::uint32_t no_device = 0xffffffff;

struct Argument {
  ir::ParameterKind kind = ir::ParameterKind::value;
  const void* value = nullptr;    // value: its bytes, until the launch returns
  void* pointer = nullptr;        // span: the first element, in the device's memory
  std::uint64_t length = 0;       // span: elements
  std::uint32_t device = no_device;  // span: Device::id() of the memory; no_device for a buffer that was moved from

  static Argument of_value(const void* bytes) { return {ir::ParameterKind::value, bytes, nullptr, 0, no_device}; }
  static Argument of_span(void* first, std::uint64_t elements, std::uint32_t device_id) {
    return {ir::ParameterKind::span, nullptr, first, elements, device_id};
  }
};

}  // namespace oxide::runtime
