// Atomic accesses on NVIDIA GPUs, as PTX: LLVM 22 drops the order and the scope of atomicrmw.
#include "nvptx_simt.hpp"

#include "atomic_loop.hpp"
#include "failure.hpp"

namespace oxide::jit {

using llvm::Value;

namespace {

struct Place {
  Value* address;        // as an integer
  std::string_view space;
  const char* constraint;
};

constexpr const char* scope_names[] = {".cta", ".gpu", ".sys", ".cluster"};

class Atomics {
 public:
  Atomics(Builder& b, const ir::AtomicAccess& access, Value* address) : b_(b), access_(access) {
    auto* pointer = llvm::cast<llvm::PointerType>(address->getType());
    const unsigned space = pointer->getAddressSpace();
    const bool narrow = b.GetInsertBlock()->getModule()->getDataLayout().getPointerSizeInBits(pointer->getAddressSpace()) == 32;
    place_ = {b.CreatePtrToInt(address, narrow ? b.getInt32Ty() : b.getInt64Ty()),
              space == 3   ? ".shared"
              : space == 7 ? ".shared::cluster"
              : space == 1 ? ".global"
                           : "",
              narrow ? "r" : "l"};
  }

  bool in_cluster() const { return place_.space == ".shared::cluster"; }

  // A sequentially consistent access is a fence.sc and an access that acquires or releases (PTX ISA, "Memory Consistency Model"; the
  // mapping is the one of Lustig et al., "A Formal Analysis of the NVIDIA PTX Memory Consistency Model").
  void fence_if_seq_cst() {
    if (access_.order == ir::MemoryOrder::seq_cst) emit(b_.getVoidTy(), std::string("fence.sc") + scope() + ";", {}, "~{memory}");
  }

  Value* load(unsigned bits) {
    fence_if_seq_cst();
    return load(bits, access_.order == ir::MemoryOrder::relaxed ? ".relaxed" : ".acquire");
  }
  void store(unsigned bits, Value* value) {
    fence_if_seq_cst();
    const char* sem = access_.order == ir::MemoryOrder::release ? ".release" : ".relaxed";
    emit(b_.getVoidTy(), "st" + std::string(sem) + scope() + space() + ".b" + std::to_string(bits) + " [$0], $1;",
         {place_.address, widened(value, bits)}, std::string(place_.constraint) + "," + register_of(bits) + ",~{memory}");
  }
  // `type` as PTX has it: .u32, .f64; `bits` of the register.
  Value* rmw(std::string_view operation, std::string_view type, llvm::Type* of, Value* value, const char* constraint) {
    fence_if_seq_cst();
    return emit(of, "atom" + sem() + scope() + space() + "." + std::string(operation) + "." + std::string(type) + " $0, [$1], $2;",
                {place_.address, value}, "=" + std::string(constraint) + "," + place_.constraint + "," + constraint + ",~{memory}");
  }
  Value* swap(unsigned bits, Value* expected, Value* desired) {
    const std::string reg = register_of(bits);
    return emit(b_.getIntNTy(bits), "atom" + sem() + scope() + space() + ".cas.b" + std::to_string(bits) + " $0, [$1], $2, $3;",
                {place_.address, expected, desired}, "=" + reg + "," + place_.constraint + "," + reg + "," + reg + ",~{memory}");
  }

  // The element becomes what `compute` makes of it.
  template <class Compute>
  Value* loop(unsigned bits, Compute compute) {
    if (bits == 8) return in_word(compute);
    fence_if_seq_cst();
    return atomic_loop(b_, load(bits, ".relaxed"), compute, [&](Value* old, Value* next) { return swap(bits, old, next); });
  }

 private:
  // PTX swaps no bytes: the word around one is swapped. It belongs to the same allocation, whose size is whole words.
  template <class Compute>
  Value* in_word(Compute compute) {
    constexpr unsigned bits = 8;
    llvm::Type* i32 = b_.getInt32Ty();
    llvm::Type* narrow = b_.getIntNTy(bits);
    Value* address = place_.address;
    llvm::Type* wide = address->getType();
    Value* in = b_.CreateAnd(address, llvm::ConstantInt::get(wide, 3));
    Value* shift = b_.CreateShl(b_.CreateZExtOrTrunc(in, i32), b_.getInt32(3));
    place_.address = b_.CreateAnd(address, llvm::ConstantInt::getSigned(wide, -4));
    Value* others = b_.CreateNot(b_.CreateShl(b_.getInt32((1u << bits) - 1), shift));
    fence_if_seq_cst();
    const auto extract = [&](Value* word) { return b_.CreateTrunc(b_.CreateLShr(word, shift), narrow); };
    Value* old = atomic_loop(
        b_, load(32, ".relaxed"),
        [&](Value* word) {
          Value* next = b_.CreateShl(b_.CreateZExt(compute(extract(word)), i32), shift);
          return b_.CreateOr(b_.CreateAnd(word, others), next);
        },
        [&](Value* word, Value* next) { return swap(32, word, next); });
    return extract(old);
  }

  static const char* register_of(unsigned bits) { return bits == 128 ? "q" : bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  std::string scope() const { return scope_names[static_cast<unsigned>(access_.scope)]; }
  std::string space() const { return std::string(place_.space); }
  std::string sem() const {
    constexpr const char* names[] = {".relaxed", ".acquire", ".release", ".acq_rel", ".acq_rel"};
    return names[static_cast<unsigned>(access_.order)];
  }
  // PTX has no 8-bit registers: a byte travels in 16 bits.
  Value* widened(Value* value, unsigned bits) { return bits == 8 ? b_.CreateZExt(value, b_.getInt16Ty()) : value; }
  Value* load(unsigned bits, const char* sem) {
    Value* value =
        emit(b_.getIntNTy(bits == 8 ? 16 : bits), "ld" + std::string(sem) + scope() + space() + ".b" + std::to_string(bits) + " $0, [$1];",
             {place_.address}, "=" + std::string(register_of(bits)) + "," + place_.constraint + ",~{memory}");
    return bits == 8 ? b_.CreateTrunc(value, b_.getInt8Ty()) : value;
  }
  Value* emit(llvm::Type* result, const std::string& text, llvm::ArrayRef<Value*> operands, const std::string& constraints) {
    llvm::CallInst* access = call_convergent_asm(b_, result, text, constraints, operands);
    access->setNotConvergent();
    return access;
  }

  Builder& b_;
  const ir::AtomicAccess& access_;
  Place place_;
};

// Additions of halves and of pairs of them are instructions from sm_70 and sm_60 on; of bf16, from sm_90 on. They keep subnormals, as
// .noftz says (PTX ISA, "atom").
bool adds_halves(ir::Type type, unsigned sm) {
  return type == ir::Type::f16 || type == ir::Type::f16x2 || (sm >= 90 && (type == ir::Type::bf16 || type == ir::Type::bf16x2));
}

Value* read_modify_write(Builder& b, Atomics& atomics, ir::AtomicKind kind, ir::Type type, Value* operand, Surroundings::Combine combine,
                         unsigned sm) {
  using enum ir::AtomicKind;
  llvm::Type* t = memory_type(b.getContext(), type);
  const unsigned bits = 8 * static_cast<unsigned>(ir::size_of(type));
  const bool floats = type == ir::Type::f32 || type == ir::Type::f64, is_signed = ir::is_signed_integer(type);
  llvm::Type* integer = b.getIntNTy(bits);
  const auto as_integer = [&](Value* v) { return floats ? b.CreateBitCast(v, integer) : v; };
  const auto as_type = [&](Value* v) { return floats ? b.CreateBitCast(v, t) : v; };
  const auto compute = [&](Value* old) { return as_integer(combine(as_type(old))); };
  const bool halves = ir::is_half(type) || ir::is_pair(type);
  if (halves && (kind == add || kind == sub) && adds_halves(type, sm) && !atomics.in_cluster()) {
    if (kind == sub) operand = b.CreateXor(operand, llvm::ConstantInt::get(t, bits == 16 ? 0x8000 : 0x80008000));
    return atomics.rmw("add.noftz", ir::name_of(type), t, operand, bits == 16 ? "h" : "r");
  }
  // In the shared memory of other blocks the assembler makes these of a load and a swap in the thread's own (ptxas 13.0: the results are
  // wrong on an H200). A swap there is an instruction.
  const bool in_cluster = atomics.in_cluster() && kind != exchange && (bits == 64 || ir::is_floating(type) || halves);
  if (bits < 32 || (halves && kind != exchange) || in_cluster) return as_type(atomics.loop(bits, compute));
  const char* reg = bits == 128 ? "q" : bits == 64 ? "l" : "r";
  const std::string width = std::to_string(bits);
  if (floats) {
    if (kind == exchange) return as_type(atomics.rmw("exch", "b" + width, integer, as_integer(operand), reg));
    if (kind == add || kind == sub)
      return atomics.rmw("add", "f" + width, t, kind == sub ? b.CreateFNeg(operand) : operand, bits == 64 ? "d" : "f");
    return as_type(atomics.loop(bits, compute));  // of min and max: a number beats a NaN, and -0 is less than +0
  }
  switch (kind) {
    case exchange:
      return atomics.rmw("exch", "b" + width, t, operand, reg);
    case add:
    case sub:
      return atomics.rmw("add", "u" + width, t, kind == sub ? b.CreateNeg(operand) : operand, reg);
    case min:
    case max:
      return atomics.rmw(kind == min ? "min" : "max", (is_signed ? "s" : "u") + width, t, operand, reg);
    case bit_and:
      return atomics.rmw("and", "b" + width, t, operand, reg);
    case bit_or:
      return atomics.rmw("or", "b" + width, t, operand, reg);
    case bit_xor:
      return atomics.rmw("xor", "b" + width, t, operand, reg);
    case inc:
    case dec:
      return atomics.rmw(kind == inc ? "inc" : "dec", "u32", t, operand, reg);
  }
  return nullptr;
}

}  // namespace

Value* nvptx_atomic(Builder& b, const ir::Operation& op, ir::Type type, Value* address, llvm::ArrayRef<Value*> x,
                    Surroundings::Combine combine, unsigned sm) {
  const ir::AtomicAccess access = ir::AtomicAccess::from(op.immediate);
  if (access.scope == ir::Scope::cluster) needs_clusters(sm);
  if (ir::size_of(type) == 16 && sm < 90)
    throw Failure{OXIDE_JIT_UNSUPPORTED, "atomic accesses of 16 bytes need sm_90 or newer, and this is sm_" + std::to_string(sm)};
  Atomics atomics(b, access, address);
  const unsigned bits = 8 * static_cast<unsigned>(ir::size_of(type));
  llvm::Type* t = memory_type(b.getContext(), type);
  const auto as_integer = [&](Value* v) { return ir::is_floating(type) ? b.CreateBitCast(v, b.getIntNTy(bits)) : v; };
  const auto as_type = [&](Value* v) { return ir::is_floating(type) ? b.CreateBitCast(v, t) : v; };
  switch (op.opcode) {
    case ir::Opcode::atomic_load:
    case ir::Opcode::atomic_load_at:
      return as_type(atomics.load(bits));
    case ir::Opcode::atomic_store:
    case ir::Opcode::atomic_store_at:
      atomics.store(bits, as_integer(x[0]));
      return nullptr;
    case ir::Opcode::atomic_cas:
    case ir::Opcode::atomic_cas_at: {
      Value *expected = as_integer(x[0]), *desired = as_integer(x[1]);
      if (bits != 8) {
        atomics.fence_if_seq_cst();
        return as_type(atomics.swap(bits, expected, desired));
      }
      return as_type(atomics.loop(bits, [&](Value* old) { return b.CreateSelect(b.CreateICmpEQ(old, expected), desired, old); }));
    }
    default:
      return read_modify_write(b, atomics, access.kind, type, x[0], combine, sm);
  }
}

}  // namespace oxide::jit
