#include "nvptx_faults.hpp"

#include <llvm/IR/PatternMatch.h>

namespace oxide::jit {

namespace {

using llvm::Value;

// The same shift by `count` in 1 to 63, in a way that neither LLVM nor the assembler makes one of 64 bits again.
Value* shift_in_halves(llvm::BinaryOperator& shift, unsigned count) {
  const std::string type = shift.getOpcode() == llvm::Instruction::AShr ? "s" : "u";
  std::string text = "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, $1; ";
  if (count >= 32) text += "shr." + type + "32 hi, hi, " + std::to_string(count - 32) + "; cvt." + type + "64." + type + "32 $0, hi; }";
  else
    text += "shf.r.clamp.b32 lo, lo, hi, " + std::to_string(count) + "; shr." + type + "32 hi, hi, " + std::to_string(count) +
            "; mov.b64 $0, {lo, hi}; }";
  llvm::IRBuilder<> b(&shift);
  llvm::FunctionType* signature = llvm::FunctionType::get(b.getInt64Ty(), {b.getInt64Ty()}, false);
  return b.CreateCall(llvm::InlineAsm::get(signature, text, "=l,l", /*hasSideEffects=*/false), {shift.getOperand(0)});
}

}  // namespace

void avoid_false_rotations(llvm::Module& module) {
  using namespace llvm::PatternMatch;
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      Value* shifted = nullptr;
      const llvm::APInt* count = nullptr;
      if (!i.getType()->isIntegerTy(64) || !match(&i, m_Shr(m_Value(shifted), m_APInt(count))) || llvm::isa<llvm::Constant>(shifted))
        continue;
      if (count->isZero() || count->uge(64)) continue;
      const unsigned rest = 64 - static_cast<unsigned>(count->getZExtValue());
      const auto to_the_left = [&](llvm::User* user) { return match(user, m_Shl(m_Specific(shifted), m_SpecificInt(rest))); };
      if (llvm::none_of(shifted->users(), to_the_left)) continue;
      i.replaceAllUsesWith(shift_in_halves(llvm::cast<llvm::BinaryOperator>(i), static_cast<unsigned>(count->getZExtValue())));
      i.eraseFromParent();
    }
}

namespace {

// Of `max.u16 to, a, b;` and its like, what stands between the commas; false for any other line.
struct Narrow {
  std::string_view name, type, to, operands[2], behind;
  std::size_t count = 0;

  bool read(std::string_view line, std::string_view wanted = {}) {
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size()), end = line.find(';');
    const std::string_view operation = line.substr(start, 7);
    const bool known = !wanted.empty()
                           ? operation == wanted
                           : operation == "neg.s16" || operation == "abs.s16" || operation == "sub.s16" || operation == "max.s16" ||
                                 operation == "min.s16" || operation == "max.u16" || operation == "min.u16";
    if (!known || end == std::string_view::npos || line.find_first_of(" \t", start) != start + 7) return false;
    name = operation.substr(0, 3), type = operation.substr(4), behind = line.substr(end + 1);
    std::string_view rest = line.substr(start + 7, end - start - 7);
    for (count = 0;; ++count) {
      const std::size_t comma = rest.find(',');
      (count == 0 ? to : operands[count - 1]) = rest.substr(0, comma);
      if (comma == std::string_view::npos) return count == (name == "neg" || name == "abs" ? 1 : 2);
      if (count == 2) return false;
      rest.remove_prefix(comma + 1);
    }
  }
};

}  // namespace

std::string with_wide_operations(std::string_view ptx) {
  std::string out;
  while (!ptx.empty()) {
    const std::size_t newline = ptx.find('\n');
    const std::string_view line = ptx.substr(0, newline == std::string_view::npos ? ptx.size() : newline + 1);
    ptx.remove_prefix(line.size());
    Narrow n;
    if (line.find("abs.s64") != std::string_view::npos && n.read(line, "abs.s64")) {
      out.append("\t{ .reg .pred p; .reg .b64 n; neg.s64 n,").append(n.operands[0]).append("; setp.lt.s64 p,").append(n.operands[0]);
      out.append(", 0; selp.b64").append(n.to).append(", n,").append(n.operands[0]).append(", p; }").append(n.behind);
      continue;
    }
    if (!n.read(line)) {
      out.append(line);
      continue;
    }
    const std::string wide = std::string(1, n.type[0]) + "32";
    out.append("\t{ .reg .b16 n; .reg .b32 a, b; ");
    for (std::size_t k = 0; k != n.count; ++k) {
      out.append("mov.b16 n,").append(n.operands[k]).append("; cvt.").append(wide).append(".").append(n.type);
      out.append(k == 0 ? " a, n; " : " b, n; ");
    }
    out.append(n.name).append(".").append(wide).append(n.count == 1 ? " a, a; " : " a, a, b; ");
    out.append("cvt.u16.u32").append(n.to).append(", a; }").append(n.behind);
  }
  return out;
}

}  // namespace oxide::jit
