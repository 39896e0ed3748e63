// What a device value holds on the host.
#pragma once

#include <cstdint>

namespace oxide::trace {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = 0xffffffff;

// Which value of which run it is. A handle of another run is a mistake that is caught.
struct Handle {
  ValueId id = no_value;
  std::uint32_t run = 0;
  friend constexpr bool operator==(Handle, Handle) = default;
};

}  // namespace oxide::trace
