#include "body.hpp"

#include "atomic_loop.hpp"

#include "failure.hpp"
#include "lower_math.hpp"
#include "lower_effects.hpp"
#include "lower_numbers.hpp"
#include "lower_memory.hpp"
#include "proofs.hpp"

#include <oxide/ir/output.hpp>

#include <array>

#include <oxide/ir/analysis/call_graph.hpp>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

bool is_collective(const ir::Operation& op) {
  const ir::Effect effect = ir::row_of(op.opcode).effect;
  return effect == ir::Effect::block_collective || effect == ir::Effect::warp_collective;
}

std::vector<oxide_fault_site> fault_sites(const ir::Graph& graph) {
  const ir::CallGraph calls(graph);
  std::vector<oxide_fault_site> sites;
  for (std::size_t f = 0; f != ir::body_count(graph); ++f) {
    const ir::Body& body = ir::body_of(graph, f);
    for (std::size_t b = 0; b != body.blocks.size(); ++b)
      for (std::size_t i = 0; i != body.blocks[b].operations.size(); ++i) {
        const ir::Operation& op = body.blocks[b].operations[i];
        const auto add = [&](oxide_fault_kind kind, std::uint64_t memory = 0) {
          sites.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(memory), static_cast<std::uint32_t>(b),
                           static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(f), 0});
        };
        if (op.opcode == ir::Opcode::check_bounds) add(OXIDE_FAULT_BOUNDS, op.immediate);
        else if (op.opcode == ir::Opcode::check_rank) add(OXIDE_FAULT_RANK);
        else if (op.opcode == ir::Opcode::check_index) add(OXIDE_FAULT_INDEX);
        else if (op.opcode == ir::Opcode::check_vectors) add(OXIDE_FAULT_VECTORS, ir::memory_number(op.immediate));
        else if (ir::row_of(op.opcode).immediate == ir::Immediate::check && op.immediate != 0) add(OXIDE_FAULT_DIVISION);
        else if (op.opcode == ir::Opcode::check) add(OXIDE_FAULT_CHECK);
        else if (is_collective(op)) add(OXIDE_FAULT_COLLECTIVE);
        else if (op.opcode == ir::Opcode::call && calls.recursive(static_cast<std::size_t>(op.immediate)))
          add(OXIDE_FAULT_STACK, op.immediate);
      }
  }
  return sites;
}

llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type) {
  switch (type) {
    case ir::Type::f32:
      return llvm::Type::getFloatTy(context);
    case ir::Type::f64:
      return llvm::Type::getDoubleTy(context);
    case ir::Type::address:
      return llvm::PointerType::get(context, 0);
    default:
      return llvm::Type::getIntNTy(context, ir::bits_of(type));
  }
}

llvm::Type* memory_type(llvm::LLVMContext& context, ir::Type type) {
  return ir::is_boolean(type) ? llvm::Type::getInt8Ty(context) : value_type(context, type);
}

std::string array_name(std::size_t body, std::size_t block, std::size_t operation) {
  return "array." + std::to_string(body) + '.' + std::to_string(block) + '.' + std::to_string(operation);
}
bool read_array_name(llvm::StringRef name, oxide_local_array& out) {
  if (!name.consume_front("array.")) return false;
  for (std::uint32_t* number : {&out.function, &out.block, &out.operation}) {
    if (name.consumeInteger(10, *number)) return false;
    (void)name.consume_front(".");
  }
  return true;
}

Value* Surroundings::float_to_integer(Builder& b, Value* value, ir::Type, ir::Type to) {
  const auto id = ir::is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {value_type(b.getContext(), to), value->getType()}, {value});
}

[[noreturn]] static void refuse_call() {
  throw Failure{OXIDE_JIT_UNSUPPORTED, "this code cannot call an ox::function; call a plain function"};
}
std::vector<Value*> Surroundings::call(Builder&, std::size_t, llvm::ArrayRef<Value*>) { refuse_call(); }
void Surroundings::give_back(Builder&, llvm::ArrayRef<Value*>) { throw Failure{OXIDE_JIT_UNSUPPORTED, "this code is no function"}; }
Value* Surroundings::out_of_stack(Builder&) { refuse_call(); }
Value* Surroundings::in_block(Builder&, Value*, Value*) {
  throw Failure{OXIDE_JIT_UNSUPPORTED, "this code has no part in a cluster of blocks"};
}

namespace {

class Body {
 public:
  Body(const ir::Graph& graph, std::size_t number, llvm::Function& function, BasicBlock& allocas, Surroundings& around)
      : graph_(graph), number_(number), body_(ir::body_of(graph, number)), calls_(graph), function_(function), around_(around),
        context_(function.getContext()), b_(context_), numbers_(b_, around, graph.fp_mode), allocas_(allocas) {
    find_variables(allocas);
    find_sites();
    if (number_ == 0) proved_ = proved_sites(graph);
    if (number_ != 0)
      for (const ir::Type type : graph_.functions[number_ - 1].results)
        result_slots_.push_back(Builder(&allocas, allocas.begin()).CreateAlloca(value_type(context_, type), nullptr, "result"));
  }

  void lower(BasicBlock& before) {
    blocks_.resize(body_.blocks.size(), nullptr);
    const std::vector<std::uint32_t> order = reverse_post_order();
    for (std::uint32_t b : order) blocks_[b] = BasicBlock::Create(context_, llvm::Twine("block") + llvm::Twine(b), &function_);
    b_.SetInsertPoint(&before);
    for (const ir::Variable v : around_.inherited()) define(v, around_.inherit(b_, v));
    b_.CreateBr(blocks_[0]);
    ends_.resize(body_.blocks.size(), nullptr);
    for (std::uint32_t b : order) {
      block(b);
      ends_[b] = b_.GetInsertBlock()->getTerminator();
    }
    mark_loops(order);
  }

 private:
  // ---- variables: one with a single definition is that definition's value; others live in allocas, which mem2reg makes phis of

  void find_variables(BasicBlock& allocas) {
    std::vector<std::uint8_t> definitions(body_.variables.size(), 0);
    for (const ir::Variable v : around_.inherited()) ++definitions[v];
    for (const ir::Block& block : body_.blocks)
      for (const ir::Operation& op : block.operations)
        if (const ir::Variable v = defined_by(op); v != ir::no_variable && definitions[v] != 2) ++definitions[v];
    values_.resize(body_.variables.size());
    Builder at_top(&allocas, allocas.begin());
    for (std::size_t v = 0; v != body_.variables.size(); ++v)
      if (definitions[v] == 2)
        values_[v].slot = at_top.CreateAlloca(value_type(context_, body_.variables[v]), nullptr, llvm::Twine("v") + llvm::Twine(v));
  }
  static ir::Variable defined_by(const ir::Operation& op) {
    const ir::OpcodeRow& row = ir::row_of(op.opcode);
    if (row.effect == ir::Effect::writes_variable) return op.operands[0];
    return row.result != ir::ResultRule::none ? op.result : ir::no_variable;
  }

  Value* read(ir::Variable v) {
    Variable& variable = values_[v];
    if (variable.slot != nullptr && variable.known_in != block_number_) {
      variable.value = b_.CreateLoad(value_type(context_, body_.variables[v]), variable.slot);
      variable.known_in = block_number_;
    }
    if (variable.value == nullptr)
      throw Failure{OXIDE_JIT_BAD_GRAPH, (llvm::Twine("v") + llvm::Twine(v) + " is used before it is defined").str()};
    return variable.value;
  }
  void define(ir::Variable v, Value* value) {
    Variable& variable = values_[v];
    if (variable.slot != nullptr) b_.CreateStore(value, variable.slot);
    variable.value = value;
    variable.known_in = block_number_;
  }

  // ---- control flow

  std::vector<std::uint32_t> reverse_post_order() const {
    std::vector<std::uint32_t> post;
    std::vector<std::uint8_t> visited(body_.blocks.size(), 0);  // how many targets, plus one
    std::vector<std::uint32_t> stack{0};
    visited[0] = 1;
    while (!stack.empty()) {
      const std::uint32_t b = stack.back();
      const ir::Terminator& t = body_.blocks[b].terminator;
      const unsigned targets = t.kind == ir::TerminatorKind::exit ? 0 : t.kind == ir::TerminatorKind::jump ? 1 : 2;
      if (visited[b] > targets) {
        post.push_back(b);
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = t.targets[targets - visited[b]++];
      if (visited[next] != 0) continue;
      visited[next] = 1;
      stack.push_back(next);
    }
    return {post.rbegin(), post.rend()};
  }

  void find_sites() {
    first_site_.resize(body_.blocks.size() + 1, 0);
    for (const oxide_fault_site& s : fault_sites(graph_)) {
      if (s.function < number_) ++first_site_[0];
      else if (s.function == number_) ++first_site_[s.block + 1];
    }
    for (std::size_t b = 0; b != body_.blocks.size(); ++b) first_site_[b + 1] += first_site_[b];
  }

  void block(std::uint32_t number) {
    block_number_ = number + 1;
    next_site_ = first_site_[number];
    b_.SetInsertPoint(blocks_[number]);
    const ir::Block& block = body_.blocks[number];
    for (const ir::Operation& op : block.operations) {
      around_.at(b_, op.location);
      try {
        operation(op);
      } catch (Failure& failure) {
        if (const std::string line = line_of(op); op.location.line != 0 && failure.message.find(line) == std::string::npos)
          failure.message += " (" + line + ')';
        throw;
      }
    }
    const ir::Terminator& t = block.terminator;
    around_.at(b_, t.location);
    switch (t.kind) {
      case ir::TerminatorKind::jump:
        b_.CreateBr(blocks_[t.targets[0]]);
        return;
      case ir::TerminatorKind::branch:
        b_.CreateCondBr(read(t.condition), blocks_[t.targets[0]], blocks_[t.targets[1]]);
        return;
      case ir::TerminatorKind::exit:
        if (number_ == 0) around_.leave_from(b_, number, [this](ir::Variable v) { return read(v); });
        else give_back();
        return;
    }
  }

  void give_back() {
    std::vector<Value*> values;
    const std::vector<ir::Type>& types = graph_.functions[number_ - 1].results;
    for (std::size_t r = 0; r != result_slots_.size(); ++r)
      values.push_back(to_memory(types[r], b_.CreateLoad(result_slots_[r]->getAllocatedType(), result_slots_[r])));
    around_.give_back(b_, values);
  }

  // Goes on where `fails` is false; elsewhere reports the next site and ends the thread. The failing side is laid out at the end.
  void guard(Value* fails, Value* first, Value* second) {
    if (number_ == 0 && proved_[next_site_]) {
      ++next_site_;
      return;
    }
    BasicBlock* failed = BasicBlock::Create(context_, "failed", &function_);
    BasicBlock* passed = BasicBlock::Create(context_, "passed", &function_);
    b_.CreateCondBr(fails, failed, passed, llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    b_.SetInsertPoint(failed);
    around_.fail(b_, next_site_++, first, second);
    b_.SetInsertPoint(passed);
  }

  // ---- operations

  void operation(const ir::Operation& op) {
    const ir::OpcodeRow& row = ir::row_of(op.opcode);
    std::array<Value*, ir::max_operands> x{};
    for (std::size_t i = row.effect == ir::Effect::writes_variable ? 1 : 0; i != row.operands; ++i) x[i] = read(op.operands[i]);
    if (op.opcode == ir::Opcode::assign) return define(op.operands[0], x[1]);
    if (op.opcode == ir::Opcode::argument) return arguments_.push_back({x[0], body_.variables[op.operands[0]]});
    if (row.rule == ir::OperandRule::arguments) {
      with_arguments(op);
      return arguments_.clear();
    }
    Value* result = value_of(op, x);
    if (row.result != ir::ResultRule::none) define(op.result, result);
  }

  // Operations with many operands.
  void with_arguments(const ir::Operation& op) {
    std::vector<Value*> values;
    std::vector<ir::Type> types;
    for (const Argument& a : arguments_) values.push_back(a.value), types.push_back(a.type);
    if (op.opcode == ir::Opcode::call) return call(static_cast<std::size_t>(op.immediate), values, types);
    if (op.opcode == ir::Opcode::print)
      return around_.print(b_, print_record(b_, ir::output_key(graph_.strings[static_cast<std::size_t>(op.immediate)], types), values));
    if (op.opcode == ir::Opcode::inline_ptx) {
      results_ = around_.inline_ptx(b_, graph_.strings[static_cast<std::size_t>(op.immediate)], op.immediate, values, line_of(op));
      return;
    }
    throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' cannot be compiled"};
  }

  // "file.cpp:12", with the folder.
  std::string line_of(const ir::Operation& op) const {
    if (op.location.line == 0 || op.location.file >= graph_.files.size()) return "an unknown line";
    return graph_.files[op.location.file] + ':' + std::to_string(op.location.line);
  }

  Value* result_of(const ir::Operation& op) {
    Value* result = results_->getType()->isStructTy() ? b_.CreateExtractValue(results_, {static_cast<unsigned>(op.immediate)}) : results_;
    return result->getType() == value_type(context_, op.type) ? result : b_.CreateBitCast(result, value_type(context_, op.type));
  }

  // The head of a loop whose passes are to be made one: says so at its back edges.
  void mark_loops(const std::vector<std::uint32_t>& order) {
    std::vector<std::size_t> place(body_.blocks.size(), 0);
    for (std::size_t i = 0; i != order.size(); ++i) place[order[i]] = i;
    for (const auto& [head, passes] : unrolled_) {
      llvm::MDNode* loop = unroll_metadata(context_, passes);
      for (std::size_t i = place[head]; i != order.size(); ++i) {
        const ir::Terminator& t = body_.blocks[order[i]].terminator;
        const unsigned targets = t.kind == ir::TerminatorKind::exit ? 0 : t.kind == ir::TerminatorKind::jump ? 1 : 2;
        for (unsigned k = 0; k != targets; ++k)
          if (t.targets[k] == head) ends_[order[i]]->setMetadata(llvm::LLVMContext::MD_loop, loop);
      }
    }
  }

  // Elements from one memory to another; the ranges were checked.
  void copy_range(const ir::Operation& op, Value* to, Value* from, Value* count) {
    const auto element = [&](std::uint32_t memory, Value* index) {
      return b_.CreateInBoundsGEP(bytes(ir::layout_of(graph_.memories[memory]).size), around_.pointer(memory), {index});
    };
    const ir::Layout layout = ir::layout_of(graph_.memories[ir::memory_number(op.immediate)]);
    const auto accesses = [&](llvm::Instruction& access, bool writes) {
      around_.accesses(access, writes ? ir::memory_number(op.immediate) : ir::second_memory(op.immediate));
    };
    copy_bytes(b_, element(ir::memory_number(op.immediate), to), element(ir::second_memory(op.immediate), from),
               b_.CreateMul(count, b_.getInt64(layout.size)), layout.alignment, accesses);
  }

  void prefetch_element(const ir::Operation& op, Value* index) {
    BasicBlock* inside = BasicBlock::Create(context_, "prefetch", &function_);
    BasicBlock* done = BasicBlock::Create(context_, "prefetched", &function_);
    b_.CreateCondBr(b_.CreateICmpULT(index, length_of(op)), inside, done);
    b_.SetInsertPoint(inside);
    around_.prefetch(b_, element(op, index), ir::cache_hint(op.immediate));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  void call(std::size_t callee, std::vector<Value*>& values, const std::vector<ir::Type>& types) {
    for (std::size_t i = 0; i != values.size(); ++i) values[i] = to_memory(types[i], values[i]);
    if (calls_.recursive(callee)) guard(around_.out_of_stack(b_), b_.getInt64(0), b_.getInt64(0));
    given_back_ = around_.call(b_, callee, values);
    results_ = nullptr;
  }

  ir::Type operand_type(const ir::Operation& op, std::size_t i = 0) const { return body_.variables[op.operands[i]]; }

  Value* value_of(const ir::Operation& op, const std::array<Value*, ir::max_operands>& x) {
    using enum ir::Opcode;
    switch (op.opcode) {
      case constant:
        return numbers_.constant(op.type, op.immediate);
      case parameter:
        return from_memory(op.type, around_.parameter(b_, static_cast<std::size_t>(op.immediate)));
      case length:
        return length_of(op);
      case copy:
        return x[0];
      case select:
        return b_.CreateSelect(x[0], x[1], x[2]);
      case cast:
        return numbers_.cast(x[0], operand_type(op), op.type);
      case bit_cast:
        return b_.CreateBitCast(numbers_.renamed(x[0]), value_type(context_, op.type));

      case thread_index:
      case block_index:
      case block_dim:
      case grid_dim:
        return around_.coordinate(b_, op.opcode, static_cast<unsigned>(op.immediate));

      case div:
      case rem:
        if (ir::is_integer(op.type)) return integer_division(op, x[0], x[1]);
        [[fallthrough]];
      case add:
      case sub:
      case mul:
      case neg:
      case abs:
      case min:
      case max:
      case fma:
      case bit_and:
      case bit_or:
      case bit_xor:
      case bit_not:
      case shift_left:
      case shift_right:
      case equal:
      case not_equal:
      case less:
      case less_equal:
      case sqrt:
      case floor:
      case ceil:
      case trunc:
      case round_even:
        return numbers_.operation(op.opcode, operand_type(op), llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));

      case popcount:
      case leading_zeros:
      case trailing_zeros:
      case bit_reverse:
      case funnel_left:
      case funnel_right:
      case mul_high:
      case add_saturating:
      case sub_saturating:
      case byte_permute:
      case dot4:
      case dot2:
        return numbers_.bits(op, operand_type(op), operand_type(op, ir::row_of(op.opcode).operands == 1 ? 0 : 1), x);
      case make_pair:
        return numbers_.make_pair(x[0], x[1]);
      case pair_element:
        return numbers_.element(x[0], op.immediate != 0);
      case cast_unsaturated:
        return numbers_.cast(x[0], operand_type(op), op.type, false);
      case pack_float8:
        return numbers_.pack_float8(x[0], x[1], op.immediate != 0 ? ir::Type::e5m2 : ir::Type::e4m3);
      case unpack_float8:
        return numbers_.unpack_float8(x[0], op.immediate != 0 ? ir::Type::e5m2 : ir::Type::e4m3);
      case round_tf32:
        return numbers_.round_tf32(x[0], static_cast<unsigned>(op.immediate));
      case add_rounded:
      case sub_rounded:
      case mul_rounded:
      case div_rounded:
      case fma_rounded:
      case sqrt_rounded:
        return numbers_.rounded(op.opcode, op.type, static_cast<unsigned>(op.immediate),
                                llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));
      case cast_rounded:
        return numbers_.cast_rounded(x[0], operand_type(op), op.type, static_cast<unsigned>(op.immediate));

      case math1:
      case math2:
      case math3: {
        const ir::Math f = ir::math_function(op.immediate);
        const ir::Type type = operand_type(op, ir::floating_operand(f));
        return mathematics(f, type, llvm::ArrayRef(x).take_front(ir::operand_count(f)))[ir::math_result(op.immediate)];
      }

      case call_result:
        if (results_ != nullptr) return result_of(op);
        return from_memory(op.type, given_back_.at(static_cast<std::size_t>(op.immediate)));
      case return_value:
        b_.CreateStore(x[0], result_slots_[static_cast<std::size_t>(op.immediate)]);
        return nullptr;

      case check_bounds: {
        Value* length = length_of(op);
        guard(b_.CreateICmpUGE(x[0], length), x[0], length);
        return nullptr;
      }
      case check:
        guard(b_.CreateNot(x[0]), b_.getInt64(0), b_.getInt64(0));
        return nullptr;
      case load: {
        llvm::Type* type = memory_type(context_, op.type);
        Value* pointer = element(op, x[0]);
        const ir::CacheHint hint = ir::cache_hint(op.immediate);
        if (hint != ir::CacheHint::none) {
          const bool read_only = graph_.memories[ir::memory_number(op.immediate)].access == ir::Access::read;
          if (Value* hinted = around_.hinted_load(b_, type, pointer, alignment(op), hint, read_only)) return from_memory(op.type, hinted);
        }
        llvm::LoadInst* load = b_.CreateAlignedLoad(type, pointer, alignment(op), hint == ir::CacheHint::volatile_access);
        around_.accesses(*load, ir::memory_number(op.immediate));
        return from_memory(op.type, load);
      }
      case store: {
        const ir::Type type = operand_type(op, 1);
        Value *value = to_memory(type, x[1]), *pointer = element(op, x[0]);
        const ir::CacheHint hint = ir::cache_hint(op.immediate);
        const bool plain = hint == ir::CacheHint::none || hint == ir::CacheHint::volatile_access;
        if (!plain && around_.hinted_store(b_, value, pointer, alignment(op), hint)) return nullptr;
        around_.accesses(*b_.CreateAlignedStore(value, pointer, alignment(op), hint == ir::CacheHint::volatile_access),
                         ir::memory_number(op.immediate));
        return nullptr;
      }
      case check_vectors:
        check_vectors_of(op);
        return nullptr;

      case local_array:
        return new_array(op);
      case check_index: {
        Value* count = b_.getInt64(op.immediate);
        guard(b_.CreateICmpUGE(x[0], count), x[0], count);
        return nullptr;
      }
      case load_at: {
        const ir::AddressAccess access = ir::address_access(op.immediate);
        return from_memory(
            op.type, b_.CreateAlignedLoad(memory_type(context_, op.type), at_address(access, x[0], x[1]), llvm::Align(access.alignment)));
      }
      case store_at: {
        const ir::AddressAccess access = ir::address_access(op.immediate);
        b_.CreateAlignedStore(to_memory(operand_type(op, 2), x[2]), at_address(access, x[0], x[1]), llvm::Align(access.alignment));
        return nullptr;
      }
      case copy_array:
        b_.CreateMemCpy(x[0], llvm::MaybeAlign(1), x[1], llvm::MaybeAlign(1), op.immediate);
        return nullptr;

      case lane_index:
      case warp_index:
      case cluster_rank:
        return around_.coordinate(b_, op.opcode, 0);
      case cluster_dim:
        return around_.coordinate(b_, op.opcode, static_cast<unsigned>(op.immediate));
      case grid_barrier:
        guard(around_.collective(b_, op, {}), b_.getInt64(OXIDE_COLLECTIVE_ELSEWHERE), b_.getInt64(-1));
        return nullptr;
      case check_rank: {
        const auto& size = graph_.attributes.cluster;
        Value* count = b_.getInt32(size[0] * size[1] * size[2]);
        guard(b_.CreateICmpUGE(x[0], count), b_.CreateZExt(x[0], b_.getInt64Ty()), b_.CreateZExt(count, b_.getInt64Ty()));
        return nullptr;
      }
      case shared_address:
        return shared_address_of(op, x[0], x[1]);
      case barrier:
      case barrier_and:
      case barrier_or:
      case barrier_count:
      case cluster_arrive:
      case cluster_wait:
      case warp_barrier:
      case active_mask:
      case shuffle:
      case vote_all:
      case vote_any:
      case vote_ballot:
      case match_any:
      case match_all:
      case warp_reduce:
        ++next_site_;
        return around_.collective(b_, op, llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));
      case fence:
        return around_.collective(b_, op, {});
      case atomic_load:
      case atomic_store:
      case atomic_rmw:
      case atomic_cas:
      case atomic_load_at:
      case atomic_store_at:
      case atomic_rmw_at:
      case atomic_cas_at:
        return atomic(op, x);

      case special:
        return around_.special(b_, static_cast<ir::SpecialRegister>(op.immediate));
      case sleep:
        around_.sleep(b_, x[0]);
        return nullptr;
      case breakpoint:
        around_.breakpoint(b_);
        return nullptr;
      case on_gpu:
        return b_.getInt1(around_.is_gpu());
      case unroll:
        unrolled_.emplace_back(block_number_ - 1, static_cast<unsigned>(op.immediate));
        return nullptr;
      case prefetch:
        prefetch_element(op, x[0]);
        return nullptr;
      case copy_elements:
        copy_range(op, x[0], x[1], x[2]);
        return nullptr;
      case inline_ptx:
      case argument:
      case call:
      case print:
      case assign:
      case index_space:
      case decide:
      case loop_head:
      case end:
        break;
    }
    throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' cannot be compiled"};
  }

  // The results of a function of several come from one call.
  MathResults mathematics(ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) {
    if (ir::result_count(f) == 1) return lower_math(b_, around_, f, type, operands);
    if (last_math_.block != block_number_ || last_math_.function != f || llvm::ArrayRef(last_math_.operands) != operands)
      last_math_ = {block_number_, f, llvm::SmallVector<Value*, 3>(operands), lower_math(b_, around_, f, type, operands)};
    return last_math_.results;
  }

  // Any byte but 0 is true: memory may come from outside.
  Value* from_memory(ir::Type type, Value* value) {
    return ir::is_boolean(type) ? b_.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0)) : value;
  }

  // i64, in elements.
  Value* length_of(const ir::Operation& op) {
    const std::size_t memory = ir::memory_number(op.immediate);
    const ir::Memory& m = graph_.memories[memory];
    const bool known = m.kind != ir::MemoryKind::span && m.kind != ir::MemoryKind::dynamic_shared;
    return known ? b_.getInt64(m.elements) : around_.length(memory);
  }

  Value* to_memory(ir::Type type, Value* value) { return ir::is_boolean(type) ? b_.CreateZExt(value, b_.getInt8Ty()) : value; }

  llvm::Type* bytes(std::uint32_t count) { return llvm::ArrayType::get(b_.getInt8Ty(), count); }

  Value* element(const ir::Operation& op, Value* index) {
    const ir::MemoryAccess access = ir::memory_access(op.immediate);
    const ir::Memory& memory = graph_.memories[access.memory];
    llvm::Type* unit = access.in_bytes                    ? b_.getInt8Ty()
                       : memory.element == ir::Type::none ? bytes(memory.layout.size)
                                                          : memory_type(context_, memory.element);
    return behind(b_.CreateInBoundsGEP(unit, around_.pointer(access.memory), {index}), access.offset);
  }
  Value* behind(Value* pointer, std::uint32_t offset) {
    return offset == 0 ? pointer : b_.CreateInBoundsGEP(b_.getInt8Ty(), pointer, {b_.getInt64(offset)});
  }
  llvm::Align alignment(const ir::Operation& op) {
    const ir::MemoryAccess access = ir::memory_access(op.immediate);
    return llvm::Align(ir::alignment_of(access, ir::layout_of(graph_.memories[access.memory])));
  }

  // A boolean is a byte in memory.
  Value* atomic(const ir::Operation& op, const std::array<Value*, ir::max_operands>& x) {
    const bool stores = ir::row_of(op.opcode).result == ir::ResultRule::none;
    const ir::Type type = stores ? operand_type(op, 1) : op.type;
    llvm::SmallVector<Value*, 2> operands;
    for (std::size_t i = 1; i != ir::row_of(op.opcode).operands; ++i) operands.push_back(to_memory(type, x[i]));
    const bool named = ir::row_of(op.opcode).immediate == ir::Immediate::atomic;
    Value* address = x[0];
    if (named) {  // elements are as large as what is accessed
      const std::size_t memory = ir::AtomicAccess::from(op.immediate).memory;
      address = b_.CreateInBoundsGEP(memory_type(context_, type), around_.pointer(memory), {x[0]});
    }
    const ir::AtomicKind kind = ir::AtomicAccess::from(op.immediate).kind;
    const auto combine = [&](Value* now) {
      if (kind == ir::AtomicKind::exchange || (!ir::is_floating(type) && !ir::is_pair(type)))
        return atomic_result(b_, kind, type, now, operands[0]);
      constexpr ir::Opcode opcodes[] = {ir::Opcode::add, ir::Opcode::sub, ir::Opcode::min, ir::Opcode::max};
      return numbers_.operation(opcodes[static_cast<unsigned>(kind) - static_cast<unsigned>(ir::AtomicKind::add)], type,
                                {now, numbers_.renamed(operands[0])});
    };
    Value* old = around_.atomic(b_, op, type, named ? address : without_cast(address), operands, combine);
    return old == nullptr ? nullptr : from_memory(type, old);
  }

  // ---- arrays of the thread's own. Each is one alloca, however often the operation runs: what it made before is out of scope by then.

  Value* new_array(const ir::Operation& op) {
    const ir::ArrayShape shape = ir::array_shape(op.immediate);
    const std::uint64_t size = std::uint64_t{shape.size} * shape.count;
    // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 512 KB of local memory a thread.
    constexpr std::uint64_t limit = 512 * 1024;
    if (size > limit || (array_bytes_ += size) > limit)
      throw Failure{OXIDE_JIT_UNSUPPORTED, "the local arrays of a kernel take at most 512 KiB a thread; these take " +
                                               std::to_string(size > limit ? size : array_bytes_) + " bytes or more"};
    if (Value* kept = around_.array(b_, op)) {
      if (block_number_ != 1) b_.CreateMemSet(kept, b_.getInt8(0), size, llvm::Align(16));  // in a region's first block it is there already
      return kept;
    }
    Builder at_top(&allocas_, allocas_.begin());
    llvm::AllocaInst* array = at_top.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), size), nullptr, array_name_of(op));
    array->setAlignment(llvm::Align(ir::array_alignment(shape.size)));
    b_.CreateMemSet(array, b_.getInt8(0), size, array->getAlign());
    return array;
  }
  std::string array_name_of(const ir::Operation& op) const {
    if (context_.shouldDiscardValueNames()) return {};
    const std::uint32_t block = block_number_ - 1;
    return array_name(number_, block, static_cast<std::size_t>(&op - body_.blocks[block].operations.data()));
  }
  Value* at_address(const ir::AddressAccess& access, Value* base, Value* index) {
    return behind(b_.CreateInBoundsGEP(bytes(access.size), without_cast(base), {index}), access.offset);
  }

  // ---- shared memory of the cluster. Addresses are generic; what is known to be in an address space is accessed there.

  Value* shared_address_of(const ir::Operation& op, Value* rank, Value* index) {
    const std::size_t memory = ir::memory_number(op.immediate);
    const std::uint32_t size = ir::layout_of(graph_.memories[memory]).size;
    Value* address = around_.in_block(b_, rank, b_.CreateInBoundsGEP(bytes(size), around_.pointer(memory), {index}));
    return address->getType()->getPointerAddressSpace() == 0 ? address
                                                             : b_.CreateAddrSpaceCast(address, llvm::PointerType::get(context_, 0));
  }
  static Value* without_cast(Value* address) {
    const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(address);
    return cast == nullptr ? address : cast->getOperand(0);
  }

  // Whether a span is made of whole vectors, the first of them aligned.
  void check_vectors_of(const ir::Operation& op) {
    const std::size_t memory = ir::memory_number(op.immediate);
    const std::uint64_t count = op.immediate >> 32;
    const std::uint64_t size = std::uint64_t{ir::layout_of(graph_.memories[memory]).size} * count;
    Value* address = b_.CreatePtrToInt(around_.pointer(memory), b_.getInt64Ty());
    Value* length = length_of(op);
    Value* off = b_.CreateAnd(address, b_.getInt64(std::min<std::uint64_t>(size & (0 - size), 16) - 1));
    Value* left = b_.CreateURem(length, b_.getInt64(count));
    guard(b_.CreateICmpNE(b_.CreateOr(off, left), b_.getInt64(0)), address, length);
  }

  // LLVM leaves x / 0 and MIN / -1 undefined, and x86 raises a signal; so neither reaches the instruction. Dividing by 1 instead
  // gives what the rules ask for: MIN / 1 is MIN, and MIN % 1 and x % 1 are 0.
  Value* integer_division(const ir::Operation& op, Value* dividend, Value* divisor) {
    const bool is_signed = ir::is_signed_integer(op.type), checked = op.immediate != 0;
    llvm::Type* type = dividend->getType();
    Value* zero = llvm::ConstantInt::get(type, 0);
    Value* by_zero = b_.CreateICmpEQ(divisor, zero);
    Value* replace = nullptr;
    if (checked) guard(by_zero, b_.CreateZExtOrTrunc(dividend, b_.getInt64Ty()), b_.getInt64(0));
    else replace = by_zero;
    if (is_signed) {
      Value* least = llvm::ConstantInt::get(context_, llvm::APInt::getSignedMinValue(ir::bits_of(op.type)));
      Value* overflows = b_.CreateAnd(b_.CreateICmpEQ(dividend, least), b_.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
      replace = replace != nullptr ? b_.CreateOr(replace, overflows) : overflows;
    }
    if (replace != nullptr) divisor = b_.CreateSelect(replace, llvm::ConstantInt::get(type, 1), divisor);
    if (op.opcode == ir::Opcode::rem) return is_signed ? b_.CreateSRem(dividend, divisor) : b_.CreateURem(dividend, divisor);
    Value* quotient = is_signed ? b_.CreateSDiv(dividend, divisor) : b_.CreateUDiv(dividend, divisor);
    return checked ? quotient : b_.CreateSelect(by_zero, zero, quotient);
  }

  struct Variable {
    Value* value = nullptr;  // of a variable with a slot: known only in block `known_in`
    llvm::AllocaInst* slot = nullptr;
    std::uint32_t known_in = 0;
  };

  const ir::Graph& graph_;
  const std::size_t number_;  // of the body, as ir::body_of counts
  const ir::Body& body_;
  const ir::CallGraph calls_;
  llvm::Function& function_;
  Surroundings& around_;
  llvm::LLVMContext& context_;
  Builder b_;
  Numbers numbers_;
  BasicBlock& allocas_;
  std::uint64_t array_bytes_ = 0;
  struct Argument {
    Value* value;
    ir::Type type;
  };
  Value* results_ = nullptr;  // of the last one
  std::vector<std::pair<std::uint32_t, unsigned>> unrolled_;  // blocks that are heads of loops, and how many passes become one
  std::vector<llvm::Instruction*> ends_;  // of each block
  std::vector<Argument> arguments_;  // of the next operation with many operands
  std::vector<Variable> values_;
  std::vector<BasicBlock*> blocks_;
  std::vector<llvm::AllocaInst*> result_slots_;  // of a function
  std::vector<Value*> given_back_;  // by the last call
  std::vector<std::uint32_t> first_site_;
  std::uint32_t next_site_ = 0;
  std::vector<bool> proved_;  // of each site of the kernel's own body: is never reported
  std::uint32_t block_number_ = 0;  // plus one
  struct {
    std::uint32_t block = 0;
    ir::Math function{};
    llvm::SmallVector<Value*, 3> operands;
    MathResults results{};
  } last_math_;
};

}  // namespace

void lower_body(const ir::Graph& graph, std::size_t number, llvm::Function& function, BasicBlock& allocas, BasicBlock& before,
                Surroundings& around) {
  Body(graph, number, function, allocas, around).lower(before);
}

}  // namespace oxide::jit
