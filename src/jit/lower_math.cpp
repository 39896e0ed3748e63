#include "lower_math.hpp"

namespace oxide::jit {

using llvm::Value;

namespace {

// The functions that take numbers apart and put them together: exact, and a few instructions without branches.
class Parts {
 public:
  Parts(Builder& b, ir::Type type)
      : b_(b), t_(value_type(b.getContext(), type)), bits_(b.getIntNTy(ir::bits_of(type))), width_(ir::bits_of(type)),
        fraction_(type == ir::Type::f32 ? 23 : 52), bias_(type == ir::Type::f32 ? 127 : 1023) {}

  Value* copysign(Value* x, Value* sign) { return b_.CreateIntrinsic(llvm::Intrinsic::copysign, {t_}, {x, sign}); }
  Value* round(Value* x) { return b_.CreateIntrinsic(llvm::Intrinsic::round, {t_}, {x}); }

  // 0 where x <= y; where one is a NaN that is false, and the difference is a NaN.
  Value* fdim(Value* x, Value* y) { return b_.CreateSelect(b_.CreateFCmpOLE(x, y), number(0), b_.CreateFSub(x, y)); }

  MathResults modf(Value* x) {
    Value* whole = b_.CreateIntrinsic(llvm::Intrinsic::trunc, {t_}, {x});
    Value* rest = b_.CreateSelect(is_infinite(x), number(0), b_.CreateFSub(x, whole));
    return {copysign(rest, x), whole};
  }

  // The next number is the next integer in magnitude; from zero it is the smallest one of y's sign.
  Value* nextafter(Value* x, Value* y) {
    Value* up = b_.CreateICmpEQ(b_.CreateFCmpOLT(x, y), b_.CreateFCmpOGT(x, number(0)));
    Value* step = b_.CreateSelect(up, integer(1), llvm::ConstantInt::getAllOnesValue(bits_));
    Value* next = b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(x, bits_), step), t_);
    Value* from_zero = copysign(b_.CreateBitCast(integer(1), t_), y);
    next = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), from_zero, next);
    next = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), y, next);
    return b_.CreateSelect(b_.CreateFCmpUNO(x, y), b_.CreateFAdd(x, y), next);
  }

  // The exponent of the leading bit, for numbers that are not 0, infinite or NaN; of all bits, that is, subnormals included.
  Value* exponent(Value* x) {
    Value* scaled = b_.CreateFMul(x, power_of_two(64));
    Value* subnormal = b_.CreateFCmpOLT(magnitude(x), power_of_two(1 - bias_));
    Value* field = b_.CreateAnd(b_.CreateLShr(b_.CreateBitCast(b_.CreateSelect(subnormal, scaled, x), bits_), integer(fraction_)),
                                integer(2 * static_cast<unsigned>(bias_) + 1));
    Value* e = b_.CreateSub(b_.CreateIntCast(field, b_.getInt32Ty(), false), b_.getInt32(static_cast<unsigned>(bias_)));
    return b_.CreateSub(e, b_.CreateSelect(subnormal, b_.getInt32(64), b_.getInt32(0)));
  }
  // C23, 7.12.6.5 and 7.12.6.17, with the C library's numbers for FP_ILOGB0 and FP_ILOGBNAN.
  Value* ilogb(Value* x) {
    Value* least = b_.getInt32(0x80000000);
    Value* e = b_.CreateSelect(is_infinite(x), b_.getInt32(0x7fffffff), exponent(x));
    return b_.CreateSelect(b_.CreateFCmpUEQ(x, number(0)), least, e);
  }
  Value* logb(Value* x) {
    Value* e = b_.CreateSIToFP(exponent(x), t_);
    e = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), llvm::ConstantFP::getInfinity(t_, true), e);
    return b_.CreateSelect(is_finite(x), e, b_.CreateFMul(x, x));  // an infinity or a NaN
  }
  // x = m * 2^e with 0.5 <= |m| < 1; zeros, infinities and NaNs as they are, with e = 0.
  MathResults frexp(Value* x) {
    Value* ordinary = b_.CreateAnd(is_finite(x), b_.CreateFCmpUNE(x, number(0)));
    Value* e = exponent(x);
    const std::uint64_t half = static_cast<std::uint64_t>(bias_ - 1) << fraction_;
    const std::uint64_t field = (std::uint64_t{1} << (width_ - 1)) - (std::uint64_t{1} << fraction_);
    Value* subnormal = b_.CreateFCmpOLT(magnitude(x), power_of_two(1 - bias_));
    Value* normal = b_.CreateSelect(subnormal, b_.CreateFMul(x, power_of_two(64)), x);
    Value* m = b_.CreateBitCast(b_.CreateOr(b_.CreateAnd(b_.CreateBitCast(normal, bits_), integer(~field)), integer(half)), t_);
    return {b_.CreateSelect(ordinary, m, x), b_.CreateSelect(ordinary, b_.CreateAdd(e, b_.getInt32(1)), b_.getInt32(0))};
  }
  // Powers of two are multiplied in until the last is a normal number. Going down, each but the last leaves so many bits that only the
  // last product is rounded, or all of them are lost anyway.
  Value* ldexp(Value* x, Value* n) {
    const int largest = bias_, smallest = 1 - bias_ + static_cast<int>(fraction_) + 1;
    n = clamped(n, -4 * bias_, 4 * bias_);
    for (int i = 0; i != 2; ++i) {
      Value* up = b_.CreateICmpSGT(n, b_.getInt32(static_cast<unsigned>(largest)));
      Value* down = b_.CreateICmpSLT(n, b_.getInt32(static_cast<unsigned>(1 - bias_)));
      x = b_.CreateFMul(x, b_.CreateSelect(up, power_of_two(largest), b_.CreateSelect(down, power_of_two(smallest), number(1))));
      Value* taken = b_.CreateSelect(down, b_.getInt32(static_cast<unsigned>(smallest)), b_.getInt32(0));
      n = b_.CreateSub(n, b_.CreateSelect(up, b_.getInt32(static_cast<unsigned>(largest)), taken));
    }
    n = clamped(n, 1 - bias_, bias_);
    Value* field = b_.CreateIntCast(b_.CreateAdd(n, b_.getInt32(static_cast<unsigned>(bias_))), bits_, false);
    return b_.CreateFMul(x, b_.CreateBitCast(b_.CreateShl(field, integer(fraction_)), t_));
  }

 private:
  Value* number(double x) { return llvm::ConstantFP::get(t_, x); }
  Value* power_of_two(int n) { return b_.CreateBitCast(integer(static_cast<std::uint64_t>(n + bias_) << fraction_), t_); }
  Value* integer(std::uint64_t n) { return llvm::ConstantInt::get(bits_, width_ == 32 ? n & 0xffffffff : n); }
  Value* magnitude(Value* x) { return b_.CreateIntrinsic(llvm::Intrinsic::fabs, {t_}, {x}); }
  Value* is_infinite(Value* x) { return b_.CreateFCmpOEQ(magnitude(x), llvm::ConstantFP::getInfinity(t_)); }
  Value* is_finite(Value* x) { return b_.CreateFCmpONE(magnitude(x), llvm::ConstantFP::getInfinity(t_)); }
  Value* clamped(Value* n, int low, int high) {
    n = b_.CreateIntrinsic(llvm::Intrinsic::smax, {b_.getInt32Ty()}, {n, b_.getInt32(static_cast<unsigned>(low))});
    return b_.CreateIntrinsic(llvm::Intrinsic::smin, {b_.getInt32Ty()}, {n, b_.getInt32(static_cast<unsigned>(high))});
  }

  Builder& b_;
  llvm::Type* t_;
  llvm::IntegerType* bits_;
  unsigned width_, fraction_;
  int bias_;
};

}  // namespace

MathResults lower_math(Builder& b, Surroundings& around, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> x) {
  Parts parts(b, type);
  switch (f) {
    case ir::Math::round:
      return {parts.round(x[0])};
    case ir::Math::fdim:
      return {parts.fdim(x[0], x[1])};
    case ir::Math::copysign:
      return {parts.copysign(x[0], x[1])};
    case ir::Math::nextafter:
      return {parts.nextafter(x[0], x[1])};
    case ir::Math::logb:
      return {parts.logb(x[0])};
    case ir::Math::ilogb:
      return {parts.ilogb(x[0])};
    case ir::Math::frexp:
      return parts.frexp(x[0]);
    case ir::Math::ldexp:
      return {parts.ldexp(x[0], x[1])};
    case ir::Math::modf:
      return parts.modf(x[0]);
    case ir::Math::powi: {
      // Every i32 is a double, and the libraries' functions for whole powers multiply errors up.
      llvm::Type* wide = b.getDoubleTy();
      Value* y = around.mathematics(b, ir::Math::pow, ir::Type::f64, {b.CreateFPCast(x[0], wide), b.CreateSIToFP(x[1], wide)})[0];
      return {b.CreateFPCast(y, x[0]->getType())};
    }
    default:
      return around.mathematics(b, f, type, x);
  }
}

MathResults call_math_function(Builder& b, const std::string& name, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) {
  const auto letter = [&](char c) { return value_type(b.getContext(), ir::detail::math_type(c, type)); };
  const std::string_view signature = ir::signature_of(f);
  const std::size_t results = ir::result_count(f);
  // Two results of one type are both written through pointers; one, or the first of two types, is returned.
  const bool returns = results == 1 || signature[0] != signature[1];
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const char c : signature.substr(results + 1)) types.push_back(letter(c));
  llvm::SmallVector<Value*, 4> arguments(operands);
  llvm::SmallVector<llvm::AllocaInst*, 2> places;
  for (std::size_t i = returns ? 1 : 0; i < results; ++i) {
    llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    Builder at_top(&entry, entry.begin());
    places.push_back(at_top.CreateAlloca(letter(signature[i])));
    b.CreateStore(llvm::Constant::getNullValue(letter(signature[i])), places.back());  // some write nothing beside a NaN
    arguments.push_back(places.back());
    types.push_back(places.back()->getType());
  }
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Type* returned = returns ? letter(signature[0]) : b.getVoidTy();
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(returned, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  if (function->isDeclaration()) {
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setDoesNotFreeMemory();
    if (places.empty()) function->setDoesNotAccessMemory();  // nobody reads errno
    else function->setOnlyAccessesArgMemory();
  }
  llvm::CallInst* call = b.CreateCall(callee, arguments);
  call->addFnAttr(llvm::Attribute::NoBuiltin);  // the library's result, whether the optimizer knows the operands or not
  MathResults out{};
  std::size_t n = 0;
  if (returns) out[n++] = call;
  for (llvm::AllocaInst* place : places) out[n++] = b.CreateLoad(place->getAllocatedType(), place);
  return out;
}

}  // namespace oxide::jit
