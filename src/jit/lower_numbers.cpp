#include "lower_numbers.hpp"

#include "body.hpp"
#include "failure.hpp"
#include "lower_math.hpp"

namespace oxide::jit {

using llvm::Value;
using enum ir::Opcode;

Numbers::Numbers(Builder& b, Surroundings& around, ir::FpMode mode)
    : b_(b), around_(around), context_(b.getContext()), contracts_(mode == ir::FpMode::contract && around.fuses()) {}

bool Numbers::is_gpu() const { return around_.gpu_architecture() != 0; }

llvm::Type* Numbers::type_like(Value* x, llvm::Type* scalar) const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
}
Value* Numbers::integer_like(Value* x, std::uint64_t value) const { return llvm::ConstantInt::get(x->getType(), value); }

Value* Numbers::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> operands) {
  return b_.CreateIntrinsic(id, {operands[0]->getType()}, operands);
}
Value* Numbers::as(Value* x, llvm::Type* scalar) { return b_.CreateBitCast(x, type_like(x, scalar)); }
Value* Numbers::as_integer(Value* x) { return as(x, b_.getIntNTy(x->getType()->getScalarSizeInBits())); }

Value* Numbers::constant(ir::Type type, std::uint64_t bits) {
  llvm::Type* t = value_type(context_, type);
  if (t->isIntegerTy()) return llvm::ConstantInt::get(t, llvm::APInt(t->getIntegerBitWidth(), bits, ir::is_signed_integer(type), true));
  return llvm::ConstantFP::get(t, llvm::APFloat(t->getFltSemantics(), llvm::APInt(ir::bits_of(type), bits)));
}

// ---- operations

Value* Numbers::operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> x) {
  Value* result = nullptr;
  if (op == add || op == sub) result = contracted(type, x[0], x[1], op == sub);
  if (result != nullptr) return result;
  if (ir::is_half(type) || ir::is_pair(type)) result = half_operation(op, type, x);
  else if (ir::is_floating(type)) result = float_operation(op, type, x);
  else return integer_operation(op, ir::is_signed_integer(type), x);
  if (op == mul) products_[result] = {x[0], x[1]};
  return result;
}

Value* Numbers::renamed(Value* x) { return products_.contains(x) ? b_.CreateFreeze(x) : x; }

// a*b + c as one operation, where the mode and the machine have it, else nothing. Decided here, on the graph, and not by each back end:
// so that every target and every optimization level rounds alike. The left product wins when both sides are products, as with nvcc.
Value* Numbers::contracted(ir::Type type, Value* x, Value* y, bool subtract) {
  if (!contracts_ || ir::is_integer(type)) return nullptr;
  const auto negated = [&](Value* v) { return operation(neg, type, {v}); };
  const auto fused = [&](Value* a, Value* b, Value* c) { return operation(fma, type, {a, b, c}); };
  if (const auto p = products_.find(x); p != products_.end()) {
    const auto [a, b] = p->second;
    return fused(a, b, subtract ? negated(y) : y);
  }
  if (const auto p = products_.find(y); p != products_.end()) {
    const auto [a, b] = p->second;
    return fused(subtract ? negated(a) : a, b, x);
  }
  return nullptr;
}

Value* Numbers::integer_operation(ir::Opcode op, bool is_signed, llvm::ArrayRef<Value*> x) {
  using namespace llvm::Intrinsic;
  const auto amount = [&] { return b_.CreateAnd(x[1], integer_like(x[1], x[1]->getType()->getIntegerBitWidth() - 1)); };
  switch (op) {
    case add:
      return b_.CreateAdd(x[0], x[1]);
    case sub:
      return b_.CreateSub(x[0], x[1]);
    case mul:
      return b_.CreateMul(x[0], x[1]);
    case neg:
      return b_.CreateNeg(x[0]);
    case ir::Opcode::abs:
      return is_signed ? b_.CreateIntrinsic(llvm::Intrinsic::abs, {x[0]->getType()}, {x[0], b_.getFalse()}) : x[0];
    case min:
      return intrinsic(is_signed ? smin : umin, {x[0], x[1]});
    case max:
      return intrinsic(is_signed ? smax : umax, {x[0], x[1]});
    case bit_and:
      return b_.CreateAnd(x[0], x[1]);
    case bit_or:
      return b_.CreateOr(x[0], x[1]);
    case bit_xor:
      return b_.CreateXor(x[0], x[1]);
    case bit_not:
      return b_.CreateNot(x[0]);
    case shift_left:
      return b_.CreateShl(x[0], amount());
    case shift_right:
      return is_signed ? b_.CreateAShr(x[0], amount()) : b_.CreateLShr(x[0], amount());
    case equal:
      return b_.CreateICmpEQ(x[0], x[1]);
    case not_equal:
      return b_.CreateICmpNE(x[0], x[1]);
    case less:
      return is_signed ? b_.CreateICmpSLT(x[0], x[1]) : b_.CreateICmpULT(x[0], x[1]);
    case less_equal:
      return is_signed ? b_.CreateICmpSLE(x[0], x[1]) : b_.CreateICmpULE(x[0], x[1]);
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op)) + "' does not take integers"};
  }
}

// `type` only matters where a library is asked. The exact ones are intrinsics: one instruction on every target, or the same result
// from a library.
Value* Numbers::float_operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> x) {
  switch (op) {
    case add:
      return b_.CreateFAdd(x[0], x[1]);
    case sub:
      return b_.CreateFSub(x[0], x[1]);
    case mul:
      return b_.CreateFMul(x[0], x[1]);
    case ir::Opcode::div:
      return b_.CreateFDiv(x[0], x[1]);
    case rem:
      return lower_math(b_, around_, ir::Math::fmod, type, x)[0];
    case neg:
      return b_.CreateFNeg(x[0]);
    case ir::Opcode::abs:
      return intrinsic(llvm::Intrinsic::fabs, {x[0]});
    case min:
      return intrinsic(llvm::Intrinsic::minimumnum, {x[0], x[1]});
    case max:
      return intrinsic(llvm::Intrinsic::maximumnum, {x[0], x[1]});
    case fma:
      return intrinsic(llvm::Intrinsic::fma, {x[0], x[1], x[2]});
    case equal:
      return b_.CreateFCmpOEQ(x[0], x[1]);
    case not_equal:
      return b_.CreateFCmpUNE(x[0], x[1]);
    case less:
      return b_.CreateFCmpOLT(x[0], x[1]);
    case less_equal:
      return b_.CreateFCmpOLE(x[0], x[1]);
    case sqrt:
      return intrinsic(llvm::Intrinsic::sqrt, {x[0]});
    case floor:
      return intrinsic(llvm::Intrinsic::floor, {x[0]});
    case ceil:
      return intrinsic(llvm::Intrinsic::ceil, {x[0]});
    case trunc:
      return intrinsic(llvm::Intrinsic::trunc, {x[0]});
    case round_even:
      return intrinsic(llvm::Intrinsic::roundeven, {x[0]});
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op)) + "' does not take floating-point numbers"};
  }
}

// ---- halves and pairs of them. As variables they are integers of their bits: LLVM computes with bfloat on a CPU that has instructions
// for it, and those flush subnormals.

Value* Numbers::elements_of(ir::Type type, Value* x) {
  return ir::is_pair(type) ? b_.CreateBitCast(x, llvm::FixedVectorType::get(b_.getInt16Ty(), 2)) : x;
}
llvm::Type* Numbers::native_type(ir::Type element) const {
  return element == ir::Type::f16 ? llvm::Type::getHalfTy(context_) : llvm::Type::getBFloatTy(context_);
}

bool Numbers::native(ir::Opcode op, ir::Type element) const {
  if (!is_gpu()) return false;
  switch (op) {
    case add:
    case sub:
    case mul:
    case neg:
    case ir::Opcode::abs:
    case min:
    case max:
    case equal:
    case not_equal:
    case less:
    case less_equal:
      return true;
    case fma:
      return element == ir::Type::f16 || around_.gpu_architecture() >= 80;  // without fma.bf16, LLVM rounds twice
    default:
      return false;
  }
}

// Elsewhere by way of f32, where it is as good as one rounding: f32 has 24 significant bits, which is twice those of f16 and two (and
// more for bf16); so rounding a sum, difference, product, quotient or root to f32 first changes nothing (Figueroa, "When is double
// rounding innocuous?", 1995). fma is not among them: see `fused`.
Value* Numbers::half_operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> operands) {
  const bool pair = ir::is_pair(type), truth = ir::row_of(op).result == ir::ResultRule::boolean;
  const ir::Type element = pair ? ir::element_of(type) : type;
  const bool instruction = native(op, element);
  llvm::SmallVector<Value*, 3> x;
  for (Value* v : operands) {
    Value* bits = elements_of(type, v);
    x.push_back(instruction ? as(bits, native_type(element)) : bits);
  }
  Value* result;
  if (instruction) {
    result = float_operation(op, element, x);
  } else if (op == neg) {
    result = b_.CreateXor(x[0], integer_like(x[0], 0x8000));
  } else if (op == ir::Opcode::abs) {
    result = b_.CreateAnd(x[0], integer_like(x[0], 0x7fff));
  } else if (op == fma) {
    result = fused(element, x[0], x[1], x[2]);
  } else {
    for (Value*& v : x) v = widen(element, v);
    result = float_operation(op, ir::Type::f32, x);
    if (!truth) result = narrow(element, result);
  }
  if (!truth) return b_.CreateBitCast(result, value_type(context_, type));
  if (!pair) return result;
  // Pairs are equal when both elements are.
  Value *low = b_.CreateExtractElement(result, std::uint64_t{0}), *high = b_.CreateExtractElement(result, std::uint64_t{1});
  return op == equal ? b_.CreateAnd(low, high) : b_.CreateOr(low, high);
}

// A product of halves is exact in f64, its sum with z may not be. What the sum lost is found exactly (Knuth's two-sum), and the sum is
// rounded to odd: then rounding it again, to a format of at most 51 bits, is right (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", 2008).
Value* Numbers::fused(ir::Type element, Value* x, Value* y, Value* z) {
  llvm::Type* f64 = type_like(x, b_.getDoubleTy());
  const auto wide = [&](Value* v) { return b_.CreateFPExt(widen(element, v), f64); };
  Value *p = b_.CreateFMul(wide(x), wide(y)), *c = wide(z);
  Value* s = b_.CreateFAdd(p, c);
  Value* of_c = b_.CreateFSub(s, p);
  Value* lost = b_.CreateFAdd(b_.CreateFSub(p, b_.CreateFSub(s, of_c)), b_.CreateFSub(c, of_c));
  Value* bits = as_integer(s);
  Value* even = b_.CreateICmpEQ(b_.CreateAnd(bits, integer_like(bits, 1)), integer_like(bits, 0));
  Value* inexact = b_.CreateFCmpONE(lost, llvm::ConstantFP::get(f64, 0.0));
  Value* toward_zero = b_.CreateICmpSLT(b_.CreateXor(bits, as_integer(lost)), integer_like(bits, 0));
  Value* step = b_.CreateSelect(toward_zero, llvm::Constant::getAllOnesValue(bits->getType()), integer_like(bits, 1));
  Value* odd = b_.CreateSelect(b_.CreateAnd(inexact, even), b_.CreateAdd(bits, step), bits);
  return narrow(element, b_.CreateBitCast(odd, f64));
}

}  // namespace oxide::jit
