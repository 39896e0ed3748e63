#include "simt_warp.hpp"

#include <oxide/ir/synchronization.hpp>

namespace oxide::jit {

namespace {

// PTX ISA, "shfl.sync": where the lane is outside of the segment, a thread gets its own value. PTX says nothing of a lane that does not
// take part; here it is the same.
void shuffle(const SimtOperands& o, const SimtPoint& p, std::uint32_t lanes, std::uint32_t first) {
  const ir::ShuffleMode mode = ir::shuffle_mode(p.immediate);
  const std::uint32_t width = ir::shuffle_width(p.immediate), segment = 32 - width;
  SimtOperands::Value values[simt_warp];
  each_lane(lanes, [&](std::uint32_t lane) { values[lane] = o.value(p, first + lane); });
  SimtOperands::Value results[simt_warp];
  each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint32_t b = o.operand(p, 1, first + lane) & 31;
    const std::uint32_t least = lane & segment, last = least | (31 & ~segment);
    std::uint32_t from = lane;
    bool inside = false;
    switch (mode) {
      case ir::ShuffleMode::index:
        from = least | (b & ~segment);
        inside = from <= last;
        break;
      case ir::ShuffleMode::up:
        from = lane - b;
        inside = lane >= b && from >= least;
        break;
      case ir::ShuffleMode::down:
        from = lane + b;
        inside = from <= last;
        break;
      case ir::ShuffleMode::exclusive_or:
        from = lane ^ b;
        inside = from <= last;
        break;
    }
    if (!inside || (lanes >> from & 1) == 0) from = lane;
    results[lane] = values[from];
  });
  each_lane(lanes, [&](std::uint32_t lane) { o.store(p, first + lane, &results[lane], p.size); });
}

void match(const SimtOperands& o, const SimtPoint& p, bool all, std::uint32_t lanes, std::uint32_t first) {
  SimtOperands::Value values[simt_warp];
  each_lane(lanes, [&](std::uint32_t lane) { values[lane] = o.value(p, first + lane); });
  each_lane(lanes, [&](std::uint32_t lane) {
    std::uint32_t same = 0;
    each_lane(lanes, [&](std::uint32_t other) { same |= std::uint32_t{values[other] == values[lane]} << other; });
    if (all && same != lanes) same = 0;
    o.store(p, first + lane, &same, 4);
  });
}

std::uint32_t combine(ir::ReductionKind kind, bool is_signed, std::uint32_t a, std::uint32_t b) {
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  switch (kind) {
    case ir::ReductionKind::add:
      return a + b;
    case ir::ReductionKind::min:
      return less ? a : b;
    case ir::ReductionKind::max:
      return less ? b : a;
    case ir::ReductionKind::bit_and:
      return a & b;
    case ir::ReductionKind::bit_or:
      return a | b;
    case ir::ReductionKind::bit_xor:
      return a ^ b;
  }
  return 0;
}

void reduce(const SimtOperands& o, const SimtPoint& p, std::uint32_t lanes, std::uint32_t first) {
  const bool is_signed = ir::is_signed_integer(static_cast<ir::Type>(p.type));
  std::uint32_t total = 0;
  bool any = false;
  each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint32_t x = o.operand(p, 0, first + lane);
    total = any ? combine(static_cast<ir::ReductionKind>(p.immediate), is_signed, total, x) : x;
    any = true;
  });
  each_lane(lanes, [&](std::uint32_t lane) { o.store(p, first + lane, &total, 4); });
}

}  // namespace

void warp_operation(const SimtOperands& o, const SimtPoint& p, ir::Opcode opcode, std::uint32_t lanes, std::uint32_t first) {
  switch (opcode) {
    case ir::Opcode::shuffle:
      return shuffle(o, p, lanes, first);
    case ir::Opcode::vote_all:
    case ir::Opcode::vote_any:
    case ir::Opcode::vote_ballot: {
      std::uint32_t yes = 0;
      each_lane(lanes, [&](std::uint32_t lane) { yes |= std::uint32_t{o.operand(p, 0, first + lane) != 0} << lane; });
      const std::uint32_t result = opcode == ir::Opcode::vote_all ? yes == lanes : opcode == ir::Opcode::vote_any ? yes != 0 : yes;
      return each_lane(lanes, [&](std::uint32_t lane) { o.store(p, first + lane, &result, opcode == ir::Opcode::vote_ballot ? 4 : 1); });
    }
    case ir::Opcode::match_any:
    case ir::Opcode::match_all:
      return match(o, p, opcode == ir::Opcode::match_all, lanes, first);
    case ir::Opcode::warp_reduce:
      return reduce(o, p, lanes, first);
    default:
      return;  // a barrier of the warp
  }
}

}  // namespace oxide::jit
