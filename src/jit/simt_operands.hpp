// Operands and results of operations that threads do together, in the arrays of a block.
#pragma once

#include "simt_runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace oxide::jit {

class SimtOperands {
 public:
  explicit SimtOperands(const SimtBlock& block) : block_(block) {}

  std::uint8_t* array(std::uint32_t name) const { return block_.arrays + name * block_.stride; }

  struct Value {
    std::uint64_t words[2];
    friend bool operator==(const Value&, const Value&) = default;
  };
  Value value(const SimtPoint& p, std::uint32_t thread) const {
    Value v{};
    const SimtOperand& o = p.operands[0];
    if (o.constant != 0) std::memcpy(&v, o.bits, sizeof o.bits);
    else std::memcpy(&v, array(o.array) + std::size_t{thread} * p.size, p.size);
    return v;
  }
  // An operand of at most 32 bits: a predicate, a lane, a mask.
  std::uint32_t operand(const SimtPoint& p, std::size_t i, std::uint32_t thread) const {
    const SimtOperand& o = p.operands[i];
    if (o.constant != 0) return o.bits[0];
    const std::size_t size = i == 0 ? p.size : 4;
    std::uint32_t bits = 0;
    std::memcpy(&bits, array(o.array) + thread * size, std::min<std::size_t>(size, 4));
    return bits;
  }
  void store(const SimtPoint& p, std::uint32_t thread, const void* bits, std::size_t size) const {
    std::memcpy(array(p.result) + thread * size, bits, size);
  }

 private:
  const SimtBlock& block_;
};

template <class F>
void each_lane(std::uint32_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(__builtin_ctz(lanes)));
}

}  // namespace oxide::jit
