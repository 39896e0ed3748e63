#include "nvptx_effects.hpp"

#include "failure.hpp"

#include <oxide/ir/inline_ptx.hpp>

namespace oxide::jit {

using llvm::Value;

namespace {

llvm::CallInst* call_asm(Builder& b, llvm::Type* result, const llvm::Twine& text, const std::string& constraints,
                         llvm::ArrayRef<Value*> arguments, bool side_effects) {
  std::vector<llvm::Type*> types;
  for (Value* a : arguments) types.push_back(a->getType());
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* call = b.CreateCall(type, llvm::InlineAsm::get(type, text.str(), constraints, side_effects), arguments);
  call->setDoesNotThrow();
  return call;
}

// A value of up to 64 bits as loads and stores of PTX know it: bits in a register at least as wide.
struct Bits {
  unsigned bits = 0;
  std::string type, constraint;
  llvm::Type* in_register = nullptr;
};
std::optional<Bits> bits_of(Builder& b, llvm::Type* type, llvm::Align alignment) {
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || alignment.value() * 8 < bits) return std::nullopt;
  return Bits{bits, ".b" + std::to_string(bits), bits <= 16 ? "h" : bits == 32 ? "r" : "l", b.getIntNTy(std::max(bits, 16u))};
}

// The part of the instruction's name that a hint is, and whether it takes a policy for L2. Nothing when the machine does not know it.
struct Hint {
  std::string name;
  const char* policy = nullptr;
};
std::optional<Hint> name_of(ir::CacheHint hint, PtxLevel level) {
  switch (hint) {
    case ir::CacheHint::all:
    case ir::CacheHint::global:
    case ir::CacheHint::streaming:
    case ir::CacheHint::last_use:
    case ir::CacheHint::fetch_again:
    case ir::CacheHint::write_back:
    case ir::CacheHint::write_through:
      return Hint{'.' + std::string(ir::cache_hint_names[static_cast<std::size_t>(hint)])};
    case ir::CacheHint::volatile_access:
      return Hint{".volatile"};
    case ir::CacheHint::no_allocate:  // PTX ISA 7.4, sm_70
      if (level.version < 74) return std::nullopt;
      return Hint{".L1::no_allocate"};
    case ir::CacheHint::evict_first:  // PTX ISA 7.4, sm_80
    case ir::CacheHint::evict_last:
      if (level.version < 74 || level.sm < 80) return std::nullopt;
      return Hint{".L2::cache_hint", hint == ir::CacheHint::evict_first ? "evict_first" : "evict_last"};
    default:
      return std::nullopt;
  }
}

std::string with_policy(const Hint& hint, const std::string& instruction) {
  if (hint.policy == nullptr) return instruction + ";";
  return "{ .reg .b64 policy; createpolicy.fractional.L2::" + std::string(hint.policy) + ".b64 policy, 1.0; " + instruction + ", policy; }";
}

}  // namespace

Value* read_register(Builder& b, ir::SpecialRegister which) {
  const bool wide = ir::register_type(which) == ir::Type::u64;
  // As CUDA's clock(): accesses to memory stay on their side of a clock, so that it times what is written between.
  const bool timed = which <= ir::SpecialRegister::globaltimer;
  return call_asm(b, wide ? b.getInt64Ty() : b.getInt32Ty(),
                  "mov." + std::string(wide ? "u64" : "u32") + " $0, %" + std::string(ir::name_of(which)) + ";",
                  std::string(wide ? "=l" : "=r") + (timed ? ",~{memory}" : ""), {}, true);
}

void sleep_for(Builder& b, Value* nanoseconds) { call_asm(b, b.getVoidTy(), "nanosleep.u32 $0;", "r", {nanoseconds}, true); }

void stop_in_debugger(Builder& b) { call_asm(b, b.getVoidTy(), "brkpt;", "~{memory}", {}, true); }

Value* load_with_hint(Builder& b, llvm::Type* type, Value* pointer, llvm::Align alignment, ir::CacheHint hint, bool read_only,
                      PtxLevel level) {
  const std::optional<Bits> bits = bits_of(b, type, alignment);
  const std::optional<Hint> name = name_of(hint, level);
  if (!bits || !name || llvm::cast<llvm::PointerType>(pointer->getType())->getAddressSpace() != 1) return nullptr;
  // Of memory that nobody writes, through the read-only cache, where that cache takes the hint.
  const bool cached = read_only && hint != ir::CacheHint::last_use && ir::may_be_dropped(hint);
  const bool operation = name->name.size() == 3;  // .ca and the like stand before .nc
  const bool is_volatile = hint == ir::CacheHint::volatile_access;
  const std::string instruction =
      is_volatile ? "ld.volatile.global" + bits->type
                  : "ld.global" + (operation ? name->name : "") + (cached ? ".nc" : "") + (operation ? "" : name->name) + bits->type;
  const bool again = !ir::may_be_dropped(hint);
  llvm::CallInst* call = call_asm(b, bits->in_register, with_policy(*name, instruction + " $0, [$1]"),
                                  "=" + bits->constraint + ",l" + (again ? ",~{memory}" : ""), {pointer}, again);
  if (!again) {
    call->setOnlyReadsMemory();
    call->addFnAttr(llvm::Attribute::WillReturn);
  }
  Value* value = call;
  if (bits->bits < 16) value = b.CreateTrunc(value, b.getIntNTy(bits->bits));
  return type->isIntegerTy() ? value : b.CreateBitCast(value, type);
}

bool store_with_hint(Builder& b, Value* value, Value* pointer, llvm::Align alignment, ir::CacheHint hint, PtxLevel level) {
  const std::optional<Bits> bits = bits_of(b, value->getType(), alignment);
  const std::optional<Hint> name = name_of(hint, level);
  if (!bits || !name || llvm::cast<llvm::PointerType>(pointer->getType())->getAddressSpace() != 1) return false;
  if (!value->getType()->isIntegerTy()) value = b.CreateBitCast(value, b.getIntNTy(bits->bits));
  if (bits->bits < 16) value = b.CreateZExt(value, bits->in_register);
  call_asm(b, b.getVoidTy(), with_policy(*name, "st.global" + name->name + bits->type + " [$0], $1"),
           "l," + bits->constraint + ",~{memory}", {pointer, value}, true);
  return true;
}

void prefetch_global(Builder& b, Value* pointer, ir::CacheHint into) {
  if (llvm::cast<llvm::PointerType>(pointer->getType())->getAddressSpace() != 1) return;
  call_asm(b, b.getVoidTy(), into == ir::CacheHint::l1 ? "prefetch.global.L1 [$0];" : "prefetch.global.L2 [$0];", "l", {pointer}, true);
}

Value* call_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<Value*> arguments) {
  const ir::InlinePtx ptx(string);
  std::vector<llvm::Type*> results;
  for (std::size_t k = 0; k != ptx.outputs; ++k) switch (ptx.output(k)) {
      case 'f':
        results.push_back(b.getFloatTy());
        break;
      case 'd':
        results.push_back(b.getDoubleTy());
        break;
      default: {
        const char c = ptx.output(k);
        results.push_back(b.getIntNTy(c == 'b' ? 1 : c == 'h' ? 16 : c == 'r' ? 32 : c == 'l' ? 64 : 128));
      }
    }
  llvm::Type* result = results.empty() ? b.getVoidTy() : results.size() == 1 ? results[0] : llvm::StructType::get(b.getContext(), results);
  std::vector<Value*> values;
  std::vector<llvm::Type*> types;
  for (Value* a : arguments) {
    const bool half = a->getType()->isFloatingPointTy() && a->getType()->getPrimitiveSizeInBits() == 16;
    values.push_back(half ? b.CreateBitCast(a, b.getInt16Ty()) : a);
    types.push_back(values.back()->getType());
  }
  std::string constraints(ptx.constraints);
  if (ptx.memory) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  if (llvm::Error error = llvm::InlineAsm::verify(type, constraints))
    throw Failure{OXIDE_JIT_BAD_GRAPH, "inline PTX with constraints that are wrong: " + llvm::toString(std::move(error))};
  // The comment is how an error of the assembler finds its way back to the line in the user's source; see runtime/ptx_lines.hpp.
  const std::string text = "// ox::ptx " + std::to_string(number) + "\n\t" + std::string(ptx.text);
  llvm::CallInst* call =
      b.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, ptx.volatile_ || ptx.memory || ptx.convergent), values);
  call->setDoesNotThrow();
  if (ptx.convergent) call->setConvergent();
  if (!ptx.volatile_ && !ptx.memory && !ptx.convergent) {
    call->setDoesNotAccessMemory();
    call->addFnAttr(llvm::Attribute::WillReturn);
  }
  return call;
}

}  // namespace oxide::jit
