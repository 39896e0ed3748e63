// Numbers: conversions. See lower_numbers.hpp.
#include "body.hpp"
#include "lower_numbers.hpp"

#include <cmath>

namespace oxide::jit {

using llvm::Value;

namespace {

// Of f32 and f64.
struct WideFormat {
  unsigned bits, mantissa;
  int bias;
};
WideFormat wide_format(const Value* x) {
  return x->getType()->getScalarType()->isDoubleTy() ? WideFormat{64, 52, 1023} : WideFormat{32, 23, 127};
}

}  // namespace

Value* Numbers::cast(Value* value, ir::Type from, ir::Type to, bool saturates) {
  if (from == to) return renamed(value);
  if (ir::is_storage(from)) return float_to_float(from_storage(value, from), ir::Type::f32, to);
  if (ir::is_storage(to)) return to_storage(value, from, to, saturates);
  if (ir::is_boolean(to)) {
    if (!ir::is_floating(from)) return b_.CreateICmpNE(value, integer_like(value, 0));
    Value* number = ir::is_half(from) ? widen(from, value) : value;
    return b_.CreateFCmpUNE(number, llvm::ConstantFP::get(number->getType(), 0.0));
  }
  if (ir::is_floating(from)) {
    if (ir::is_floating(to)) return float_to_float(value, from, to);
    if (ir::is_half(from)) return cast(widen(from, value), ir::Type::f32, to);
    return ir::bits_of(to) > 64 ? float_to_wide_integer(value, to) : around_.float_to_integer(b_, value, from, to);
  }
  if (ir::is_floating(to)) return integer_to_float(value, from, to);
  return b_.CreateIntCast(value, value_type(context_, to), ir::is_signed_integer(from));
}

// ---- between floating types

Value* Numbers::float_to_float(Value* x, ir::Type from, ir::Type to) {
  if (from == to) return x;
  if (ir::is_half(from)) return float_to_float(widen(from, x), ir::Type::f32, to);
  if (ir::is_half(to)) return narrow(to, x);
  if (ir::is_storage(to)) return to_storage(x, from, to, true);
  return b_.CreateFPCast(x, value_type(context_, to));
}

Value* Numbers::widen(ir::Type from, Value* x) {
  llvm::Type* f32 = type_like(x, b_.getFloatTy());
  if (is_gpu() || (from == ir::Type::f16 && around_.converts_f16())) return b_.CreateFPExt(as(x, native_type(from)), f32);
  return widen_by_bits(ir::format_of(from), x);
}

Value* Numbers::narrow(ir::Type to, Value* x) {
  const bool instruction = to == ir::Type::f16 && around_.converts_f16() && x->getType()->getScalarType()->isFloatTy();
  if (is_gpu() || instruction) return as_integer(b_.CreateFPTrunc(x, type_like(x, native_type(to))));
  return narrow_by_bits(ir::format_of(to), x, false);
}

// The bits of an 8- or 16-bit float as an f32, exactly.
Value* Numbers::widen_by_bits(ir::FloatFormat format, Value* bits) {
  llvm::Type* i32 = type_like(bits, b_.getInt32Ty());
  Value* wide = b_.CreateZExt(bits, i32);
  if (format.mantissa == 7 && format.bits == 16) return as(b_.CreateShl(wide, integer_like(wide, 16)), b_.getFloatTy());
  Value* magnitude = b_.CreateAnd(wide, integer_like(wide, format.all_ones()));
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, integer_like(wide, format.sign())), integer_like(wide, 32 - format.bits));
  // With the exponent field moved but not its bias, the number is off by a power of two, subnormals too.
  Value* scaled = as(b_.CreateShl(magnitude, integer_like(wide, 23 - format.mantissa)), b_.getFloatTy());
  Value* number = b_.CreateFMul(scaled, llvm::ConstantFP::get(scaled->getType(), std::ldexp(1.0, 127 - format.bias)));
  Value* number_bits = as_integer(number);
  // Infinities and NaNs keep their significand and get the exponent of f32's.
  Value* special = b_.CreateICmpUGE(magnitude, integer_like(wide, format.overflow()));
  number_bits = b_.CreateSelect(special, b_.CreateOr(number_bits, integer_like(wide, 0x7f800000)), number_bits);
  return as(b_.CreateOr(number_bits, sign), b_.getFloatTy());
}

// An f32 or f64 as the bits of an 8- or 16-bit float, rounded to nearest even.
Value* Numbers::narrow_by_bits(ir::FloatFormat format, Value* x, bool saturates) {
  const WideFormat wide = wide_format(x);
  Value* bits = as_integer(x);
  llvm::Type* small = type_like(x, b_.getIntNTy(format.bits));
  const auto number = [&](std::uint64_t n) { return integer_like(bits, n); };
  const std::uint64_t sign_bit = std::uint64_t{1} << (wide.bits - 1);
  Value* magnitude = b_.CreateAnd(bits, number(sign_bit - 1));
  // Normal numbers: drop bits of the significand, with a carry into the exponent where it rounds up, and change the bias.
  const unsigned dropped = wide.mantissa - format.mantissa;
  Value* last = b_.CreateAnd(b_.CreateLShr(magnitude, number(dropped)), number(1));
  Value* rounded = b_.CreateAdd(b_.CreateAdd(magnitude, number((std::uint64_t{1} << (dropped - 1)) - 1)), last);
  const auto rebias = static_cast<std::uint64_t>(wide.bias - format.bias) << format.mantissa;
  Value* normal = b_.CreateSub(b_.CreateLShr(rounded, number(dropped)), number(rebias));
  // Smaller ones: added to a number whose last bit is the format's smallest step, they are rounded to that step.
  const int least = 1 - format.bias;
  const double shifter_value = std::ldexp(1.0, least - static_cast<int>(format.mantissa) + static_cast<int>(wide.mantissa));
  Value* shifter = llvm::ConstantFP::get(x->getType(), shifter_value);
  Value* below = b_.CreateSub(as_integer(b_.CreateFAdd(b_.CreateBitCast(magnitude, x->getType()), shifter)), as_integer(shifter));
  const auto first_normal = static_cast<std::uint64_t>(least + wide.bias) << wide.mantissa;
  Value* result = b_.CreateSelect(b_.CreateICmpULT(magnitude, number(first_normal)), below, normal);
  result = intrinsic(llvm::Intrinsic::umin, {result, number(saturates ? format.largest() : format.overflow())});
  Value* sign = b_.CreateAnd(b_.CreateLShr(bits, number(wide.bits - format.bits)), number(format.sign()));
  result = b_.CreateSelect(b_.CreateFCmpUNO(x, x), number(format.nan()), b_.CreateOr(result, sign));
  return b_.CreateTrunc(result, small);
}

// ---- the formats of 8 bits

// PTX ISA, "cvt": e4m3x2 and e5m2x2 on sm_89 and newer, from PTX 8.1 on.
bool Numbers::converts_float8() const { return around_.gpu_architecture() >= 89 && around_.ptx_version() >= 81; }

Value* Numbers::from_storage(Value* x, ir::Type from) {
  if (!converts_float8()) return widen_by_bits(ir::format_of(from), x);
  return widen(ir::Type::f16, element(unpack_float8(b_.CreateZExt(x, b_.getInt16Ty()), from), false));
}

Value* Numbers::to_storage(Value* x, ir::Type from, ir::Type to, bool saturates) {
  Value* number = ir::is_half(from) ? widen(from, x) : x;
  if (saturates && converts_float8() && number->getType()->isFloatTy())
    return b_.CreateTrunc(pack_float8(number, llvm::ConstantFP::get(number->getType(), 0.0), to), b_.getInt8Ty());
  return narrow_by_bits(ir::format_of(to), number, saturates);
}

Value* Numbers::pack_float8(Value* low, Value* high, ir::Type format) {
  using namespace llvm::Intrinsic;
  if (converts_float8())
    return b_.CreateIntrinsic(format == ir::Type::e4m3 ? nvvm_ff_to_e4m3x2_rn : nvvm_ff_to_e5m2x2_rn, llvm::ArrayRef<llvm::Type*>(),
                              {high, low});
  const auto byte = [&](Value* x) { return b_.CreateZExt(narrow_by_bits(ir::format_of(format), x, true), b_.getInt16Ty()); };
  return b_.CreateOr(byte(low), b_.CreateShl(byte(high), b_.getInt16(8)));
}

Value* Numbers::unpack_float8(Value* bytes, ir::Type format) {
  using namespace llvm::Intrinsic;
  if (converts_float8()) {
    const auto id = format == ir::Type::e4m3 ? nvvm_e4m3x2_to_f16x2_rn : nvvm_e5m2x2_to_f16x2_rn;
    return b_.CreateBitCast(b_.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type*>(), {bytes}), b_.getInt32Ty());
  }
  const auto half = [&](Value* byte) {
    return narrow(ir::Type::f16, widen_by_bits(ir::format_of(format), b_.CreateTrunc(byte, b_.getInt8Ty())));
  };
  return make_pair(half(bytes), half(b_.CreateLShr(bytes, b_.getInt16(8))));
}

Value* Numbers::make_pair(Value* low, Value* high) {
  llvm::Type* i32 = b_.getInt32Ty();
  return b_.CreateOr(b_.CreateZExt(low, i32), b_.CreateShl(b_.CreateZExt(high, i32), b_.getInt32(16)));
}
Value* Numbers::element(Value* pair, bool high) {
  return b_.CreateTrunc(high ? b_.CreateLShr(pair, b_.getInt32(16)) : pair, b_.getInt16Ty());
}

// To 10 bits of significand, in the modes of the operation (PTX ISA, "cvt.rna.tf32.f32", "cvt.rn", "cvt.rz"); NaNs and infinities stay.
// Bits, on every device: the instructions are there from sm_80 and sm_90 on.
Value* Numbers::round_tf32(Value* x, unsigned mode) {
  Value* bits = as_integer(x);
  Value* last = b_.CreateAnd(b_.CreateLShr(bits, integer_like(bits, 13)), integer_like(bits, 1));
  Value* half = mode == 0 ? integer_like(bits, 0x1000) : mode == 1 ? b_.CreateAdd(last, integer_like(bits, 0x0fff)) : integer_like(bits, 0);
  Value* rounded = b_.CreateAnd(b_.CreateAdd(bits, half), integer_like(bits, 0xffffe000));
  Value* special = b_.CreateICmpEQ(b_.CreateAnd(bits, integer_like(bits, 0x7f800000)), integer_like(bits, 0x7f800000));
  return b_.CreateBitCast(b_.CreateSelect(special, bits, rounded), x->getType());
}

// ---- integers to floating types

Value* Numbers::integer_to_float(Value* x, ir::Type from, ir::Type to) {
  if (ir::bits_of(from) > 64) return wide_integer_to_float(x, from, to);
  const bool is_signed = ir::is_signed_integer(from);
  const auto direct = [&](ir::Type t) {
    llvm::Type* type = ir::is_half(t) ? native_type(t) : value_type(context_, t);
    return is_signed ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
  };
  if (!ir::is_half(to)) return direct(to);
  // LLVM goes by way of f32 where there is no instruction, which rounds twice what f32 does not hold.
  if (is_gpu() && to == ir::Type::f16) return as_integer(direct(to));
  if (ir::bits_of(from) <= 16) return narrow(to, direct(ir::Type::f32));
  if (ir::bits_of(from) <= 32) return narrow(to, direct(ir::Type::f64));
  return narrow(to, sticky_double(x, is_signed));
}

// A 64-bit integer as an f64 that rounds to a smaller format as the integer does. From 2^53 on, the 11 last bits become one, which says
// whether any of them was set.
Value* Numbers::sticky_double(Value* x, bool is_signed) {
  const auto number = [&](std::uint64_t n) { return integer_like(x, n); };
  constexpr std::uint64_t limit = std::uint64_t{1} << 53, rest = 0x7ff;
  Value* large = is_signed ? b_.CreateICmpUGT(b_.CreateAdd(x, number(limit)), number(2 * limit)) : b_.CreateICmpUGT(x, number(limit));
  Value* any = b_.CreateAdd(b_.CreateAnd(x, number(rest)), number(rest));
  Value* sticky = b_.CreateAnd(b_.CreateOr(x, any), number(~rest));
  Value* exact = b_.CreateSelect(large, sticky, x);
  return is_signed ? b_.CreateSIToFP(exact, b_.getDoubleTy()) : b_.CreateUIToFP(exact, b_.getDoubleTy());
}

// The 64 leading bits, the last of them set where anything was behind it; then a power of two.
Value* Numbers::wide_integer_to_float(Value* x, ir::Type from, ir::Type to) {
  llvm::Type* i64 = b_.getInt64Ty();
  Value* negative = ir::is_signed_integer(from) ? b_.CreateICmpSLT(x, integer_like(x, 0)) : nullptr;
  Value* magnitude = negative == nullptr ? x : b_.CreateSelect(negative, b_.CreateNeg(x), x);
  Value* high = b_.CreateTrunc(b_.CreateLShr(magnitude, integer_like(x, 64)), i64);
  Value* zeros = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {i64}, {high, b_.getFalse()});
  Value* shift = b_.CreateSub(b_.getInt64(64), zeros);
  Value* shift_wide = b_.CreateZExt(shift, x->getType());
  Value* kept = b_.CreateLShr(magnitude, shift_wide);
  Value* lost = b_.CreateICmpNE(b_.CreateShl(kept, shift_wide), magnitude);
  Value* leading = b_.CreateOr(b_.CreateTrunc(kept, i64), b_.CreateZExt(lost, i64));
  const bool single = to == ir::Type::f32;
  llvm::Type* type = single ? b_.getFloatTy() : b_.getDoubleTy();
  Value* number = ir::is_half(to) ? sticky_double(leading, false) : b_.CreateUIToFP(leading, type);
  Value* power = b_.CreateShl(b_.CreateAdd(shift, b_.getInt64(single ? 127 : 1023)), b_.getInt64(single ? 23 : 52));
  number = b_.CreateFMul(number, b_.CreateBitCast(single ? b_.CreateTrunc(power, b_.getInt32Ty()) : power, type));
  if (negative != nullptr) number = b_.CreateSelect(negative, b_.CreateFNeg(number), number);
  return ir::is_half(to) ? narrow(to, number) : number;
}

// ---- floating types to integers of 128 bits: truncates, saturates, makes 0 of a NaN

Value* Numbers::float_to_wide_integer(Value* x, ir::Type to) {
  const bool is_signed = ir::is_signed_integer(to);
  llvm::Type* type = value_type(context_, to);
  Value* number = x->getType()->isDoubleTy() ? x : b_.CreateFPExt(x, b_.getDoubleTy());
  Value* bits = as_integer(number);
  Value* significand = b_.CreateOr(b_.CreateAnd(bits, b_.getInt64(0xfffffffffffff)), b_.getInt64(0x10000000000000));
  Value* exponent = b_.CreateAnd(b_.CreateLShr(bits, b_.getInt64(52)), b_.getInt64(0x7ff));
  const auto limited = [&](Value* shift, std::uint64_t most) {  // of a negative one, anything in range
    return intrinsic(llvm::Intrinsic::umin, {shift, b_.getInt64(most)});
  };
  Value* up = b_.CreateShl(b_.CreateZExt(significand, type), b_.CreateZExt(limited(b_.CreateSub(exponent, b_.getInt64(1075)), 127), type));
  Value* down = b_.CreateZExt(b_.CreateLShr(significand, limited(b_.CreateSub(b_.getInt64(1075), exponent), 63)), type);
  Value* magnitude = b_.CreateSelect(b_.CreateICmpUGE(exponent, b_.getInt64(1075)), up, down);
  Value* negative = b_.CreateICmpSLT(bits, b_.getInt64(0));
  Value* too_large = b_.CreateICmpUGE(exponent, b_.getInt64(1023 + (is_signed ? 127 : 128)));
  const auto limit = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(context_, value); };
  Value* zero = llvm::ConstantInt::get(type, 0);
  Value* result;
  if (is_signed) {
    Value* most = b_.CreateSelect(negative, limit(llvm::APInt::getSignedMinValue(128)), limit(llvm::APInt::getSignedMaxValue(128)));
    result = b_.CreateSelect(too_large, most, b_.CreateSelect(negative, b_.CreateNeg(magnitude), magnitude));
  } else {
    Value* most = b_.CreateSelect(too_large, limit(llvm::APInt::getMaxValue(128)), magnitude);
    result = b_.CreateSelect(negative, zero, most);
  }
  return b_.CreateSelect(b_.CreateFCmpUNO(number, number), zero, result);
}

}  // namespace oxide::jit
