// Lowers the operations on numbers: arithmetic, comparisons and casts of every type, by the rules of docs/numbers.md. What a target does
// not do in one correctly rounded instruction is made here of operations that are exact.
#pragma once

#include "llvm.hpp"

#include <oxide/ir/float_format.hpp>
#include <oxide/ir/graph.hpp>

#include <array>

namespace oxide::jit {

class Surroundings;
using Builder = llvm::IRBuilder<llvm::NoFolder>;

class Numbers {
 public:
  using Value = llvm::Value;

  Numbers(Builder& b, Surroundings& around, ir::FpMode mode);

  // An operation of the arithmetic and mathematics groups of ops.hpp, but for integer division. `type` is that of its operands.
  Value* operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> x);
  // To an 8-bit float: what is too large becomes the largest number, or else infinity or NaN.
  Value* cast(Value* value, ir::Type from, ir::Type to, bool saturates = true);
  Value* constant(ir::Type type, std::uint64_t bits);
  // The operations on the bits of integers, see lower_bits.cpp; the types are those of the first two operands.
  Value* bits(const ir::Operation& op, ir::Type first, ir::Type second, const std::array<Value*, ir::max_operands>& x);
  // Pairs of halves, and of 8-bit floats in the bytes of a word.
  Value* make_pair(Value* low, Value* high);
  Value* element(Value* pair, bool high);
  Value* pack_float8(Value* low, Value* high, ir::Type format);
  Value* unpack_float8(Value* bytes, ir::Type format);
  Value* round_tf32(Value* x, unsigned mode);
  // Rounded to nearest even, toward zero, down or up, see lower_rounding.cpp.
  Value* rounded(ir::Opcode op, ir::Type type, unsigned mode, llvm::ArrayRef<Value*> x);
  Value* cast_rounded(Value* x, ir::Type from, ir::Type to, unsigned mode);
  // The same bits as a value that is no product, see docs/numbers.md on contraction.
  Value* renamed(Value* x);

 private:
  using Factors = std::array<Value*, 2>;

  llvm::Type* type_like(Value* x, llvm::Type* scalar) const;  // with the elements of x, if it is a pair
  Value* integer_like(Value* x, std::uint64_t value) const;
  Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> operands);
  Value* as_integer(Value* x);
  Value* as(Value* x, llvm::Type* scalar);

  Value* integer_operation(ir::Opcode op, bool is_signed, llvm::ArrayRef<Value*> x);
  Value* float_operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> x);
  Value* half_operation(ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> x);
  Value* contracted(ir::Type type, Value* x, Value* y, bool subtract);

  bool native(ir::Opcode op, ir::Type element) const;  // rounds once where LLVM is given the operation as it stands
  llvm::Type* native_type(ir::Type element) const;
  Value* elements_of(ir::Type type, Value* x);
  Value* fused(ir::Type element, Value* x, Value* y, Value* z);

  // Between the small formats and f32 or f64; elements of pairs likewise. Narrowing rounds once, to nearest even.
  Value* widen(ir::Type from, Value* x);
  Value* narrow(ir::Type to, Value* x);
  Value* widen_by_bits(ir::FloatFormat format, Value* bits);
  Value* narrow_by_bits(ir::FloatFormat format, Value* x, bool saturates);
  Value* narrow_toward(ir::Type to, Value* x, unsigned mode);

  Value* byte_permuted(Value* x, Value* y, Value* selector, unsigned mode);
  Value* dot(Value* a, bool a_signed, Value* b, bool b_signed, unsigned count, unsigned first, Value* c);

  Value* integer_to_float(Value* x, ir::Type from, ir::Type to);
  Value* wide_integer_to_float(Value* x, ir::Type from, ir::Type to);
  Value* sticky_double(Value* x, bool is_signed);
  Value* float_to_wide_integer(Value* x, ir::Type to);
  Value* float_to_float(Value* x, ir::Type from, ir::Type to);
  Value* to_storage(Value* x, ir::Type from, ir::Type to, bool saturates);
  bool converts_float8() const;
  Value* from_storage(Value* x, ir::Type from);

  bool is_gpu() const;

  Builder& b_;
  Surroundings& around_;
  llvm::LLVMContext& context_;
  bool contracts_;
  llvm::DenseMap<Value*, Factors> products_;  // the factors of values that are products of floating-point numbers
};

}  // namespace oxide::jit
