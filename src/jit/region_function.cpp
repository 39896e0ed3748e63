#include "region_function.hpp"

#include "failure.hpp"
#include "graph_walk.hpp"
#include "row_function.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Arrays::Arrays(const Regions& regions) : name(regions.kept.size(), 0) {
  constexpr std::uint64_t limit = 512 * 1024;  // bytes of a thread's arrays; as with CUDA's local memory
  for (std::size_t v = 0; v != name.size(); ++v) {
    if (!regions.kept[v]) continue;
    name[v] = thread_bytes;
    thread_bytes += static_cast<std::uint32_t>(ir::size_of(regions.graph.variables[v]));
  }
  std::uint64_t bytes = thread_bytes;
  for (const Regions::Array& a : regions.arrays) {
    name[a.variable] = static_cast<std::uint32_t>(bytes);
    bytes += size_of(a.shape);
    if (bytes > limit)
      throw Failure{OXIDE_JIT_UNSUPPORTED,
                    "the local arrays of a kernel take at most 512 KiB a thread; these take " + std::to_string(bytes) + " bytes or more"};
    local = true;
  }
  thread_bytes = static_cast<std::uint32_t>(bytes);
}

namespace {

// The code of a region: a function that runs any threads, and one for each part of the rows whose threads mostly need less.
class RegionRows {
 public:
  RegionRows(const Regions& regions, std::uint32_t point, const Arrays& arrays, llvm::Module& module) {
    const Region& region = regions.regions[point];
    const std::string name = std::to_string(point);
    std::vector<RowPart> parts = cut_rows(region);
    for (RowPart& part : parts) {
      std::optional<PlainRow> plain = part.few() ? std::nullopt : plain_row(region, part);
      needs_any_ = needs_any_ || part.few() || plain;
      if (!part.few() && (plain || parts.size() > 1)) parts_.emplace_back(std::move(part), std::move(plain));
    }
    needs_any_ = needs_any_ || parts_.empty();
    any_.emplace(regions, point, RowPart{}, region.graph, region.sites, arrays, module, "oxide_host_row" + name, parts_.empty());
    const auto make_row = [&](Part& p) {
      const std::string part_name = name + "_" + std::to_string(&p - parts_.data());
      p.row = std::make_unique<RowFunction>(regions, point, p.part, p.plain ? p.plain->graph : p.part.graph,
                                            p.plain ? p.plain->sites : p.part.sites, arrays, module, "oxide_host_row" + part_name, true);
      if (p.plain) p.limits = std::make_unique<LimitsFunction>(*p.plain, p.part, arrays, module, "oxide_host_limits" + part_name);
    };
    for (Part& p : parts_) {
      p.idle = idle_state(regions, region, p.part.graph);
      if (!p.idle) make_row(p);
    }
    if (!have_one_state())
      for (Part& p : parts_)
        if (!p.row) make_row(p);
    any_->finish(!one_state_);
    for (Part& p : parts_)
      if (p.row) p.row->finish(!one_state_);
  }

  RowFunction& any() { return *any_; }
  // Which parameters of the functions matter.
  std::vector<bool> used() const {
    std::vector<bool> used;
    if (needs_any_) any_->note_used(used);
    for (const Part& p : parts_) {
      if (p.row) p.row->note_used(used);
      if (p.limits) p.limits->note_used(used);
    }
    return used;
  }

  // The state that all threads end in, if there is one.
  std::optional<std::uint32_t> one_state() const { return one_state_; }

  // Runs a row's threads, of which `values` has what the functions take.
  States run(Builder& b, const std::vector<Value*>& values, States states) const {
    Value *count = values[RegionCode::count], *from = values[RegionCode::from], *y = values[RegionCode::y], *done = b.getInt64(0);
    for (const Part& p : parts_) {
      const RowPart& part = p.part;
      Value *first = b.getInt64(0), *end = count;
      if (part.from[0] != 0) first = saturating_sub(b, b.getInt64(part.from[0]), from);
      if (part.end[0] != RowPart::no_end)
        end = b.CreateIntrinsic(llvm::Intrinsic::umin, {end->getType()}, {end, saturating_sub(b, b.getInt64(part.end[0]), from)});
      Value* there = b.CreateICmpULT(first, end);
      if (part.from[1] != 0) there = b.CreateAnd(there, b.CreateICmpUGE(y, b.getInt32(part.from[1])));
      if (part.end[1] != RowPart::no_end) there = b.CreateAnd(there, b.CreateICmpULT(y, b.getInt32(part.end[1])));
      const auto run_part = [&](State before) {
        Value *plain_first = first, *plain_end = end;
        if (p.limits) {
          Value* range = b.CreateCall(&p.limits->function(), moved(b, values, first, b.CreateSub(end, first)));
          plain_first = b.CreateAdd(first, b.CreateAnd(range, b.getInt64(0xffffffff)));
          plain_end = b.CreateAdd(first, b.CreateLShr(range, b.getInt64(32)));
        }
        States after = before.states;
        if (needs_any_) after = run_some(b, *any_, values, before.done, plain_first, after);
        if (p.row) after = run_some(b, *p.row, values, plain_first, plain_end, after);
        return State{after, plain_end};
      };
      const State after = where(b, there, {states, done}, run_part);
      states = after.states;
      done = after.done;
    }
    return needs_any_ ? run_some(b, *any_, values, done, count, states) : states;
  }

 private:
  struct Part {
    Part(RowPart&& of, std::optional<PlainRow>&& where) : part(std::move(of)), plain(std::move(where)) {}
    RowPart part;
    std::optional<PlainRow> plain;
    std::optional<std::uint32_t> idle;  // the state of threads that have nothing to do
    std::unique_ptr<RowFunction> row;   // null where they have not
    std::unique_ptr<LimitsFunction> limits;
  };
  // What is known before and after some threads have run.
  struct State {
    States states;
    Value* done;  // how many threads of the row have run: parts come in the order of their threads
  };

  bool have_one_state() {
    std::vector<std::optional<std::uint32_t>> states;
    if (needs_any_) states.push_back(any_->one_state());
    for (const Part& p : parts_) states.push_back(p.row ? p.row->one_state() : p.idle);
    if (std::ranges::all_of(states, [&](const auto& s) { return s && s == states[0]; })) one_state_ = states[0];
    return one_state_.has_value();
  }

  // The state that threads end in that come through the code and leave nothing behind.
  static std::optional<std::uint32_t> idle_state(const Regions& regions, const Region& region, const ir::Graph& graph) {
    std::optional<std::uint32_t> state;
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::uint32_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
      const std::uint32_t number = work.back();
      const ir::Block& block = graph.blocks[number];
      work.pop_back();
      for (const ir::Operation& op : block.operations)
        if (const ir::Effect effect = ir::row_of(op.opcode).effect; effect != ir::Effect::pure && effect != ir::Effect::writes_variable)
          return std::nullopt;
      for (unsigned i = 0; i != target_count(block.terminator); ++i) {
        const std::uint32_t next = block.terminator.targets[i];
        if (next <= number) return std::nullopt;  // may be a loop
        if (!seen[next]) seen[next] = true, work.push_back(next);
      }
      if (target_count(block.terminator) != 0) continue;
      const std::uint32_t here = state_at(regions, region.exits[number]);
      if (!region.saved[number].empty() || (state && state != here)) return std::nullopt;
      state = here;
    }
    return state;
  }

  static Value* saturating_sub(Builder& b, Value* x, Value* y) {
    return b.CreateIntrinsic(llvm::Intrinsic::usub_sat, {x->getType()}, {x, y});
  }
  States run_some(Builder& b, const RowFunction& row, const std::vector<Value*>& values, Value* begin, Value* end,
                  const States& states) const {
    return where(b, b.CreateICmpULT(begin, end), {states, begin},
                 [&](const State& before) {
                   return State{call(b, row, moved(b, values, begin, b.CreateSub(end, begin)), before.states), begin};
                 })
        .states;
  }
  // The parameters of `count` threads from the one numbered `begin` on.
  std::vector<Value*> moved(Builder& b, std::vector<Value*> values, Value* begin, Value* count) const {
    values[RegionCode::from] = b.CreateAdd(values[RegionCode::from], begin);
    Value*& first = values[any_->argument(RegionCode::in_first)];
    first = b.CreateAdd(first, begin);
    values[RegionCode::count] = count;
    return values;
  }
  static States call(Builder& b, const RowFunction& row, const std::vector<Value*>& values, const States& before) {
    Value* states = b.CreateCall(&row.function(), values);
    const auto both = [&](llvm::Intrinsic::ID id, Value* one, Value* other) {
      return b.CreateIntrinsic(id, {b.getInt32Ty()}, {one, b.CreateTrunc(other, b.getInt32Ty())});
    };
    Value* least = both(llvm::Intrinsic::umin, before.least, states);
    return {least, both(llvm::Intrinsic::umax, before.most, b.CreateLShr(states, b.getInt64(32)))};
  }
  // Goes through the code that `run` makes where `condition` is true.
  template <class Run>
  static State where(Builder& b, Value* condition, const State& before, Run&& run) {
    BasicBlock* here = b.GetInsertBlock();
    BasicBlock* some = BasicBlock::Create(b.getContext(), "some", here->getParent());
    BasicBlock* next = BasicBlock::Create(b.getContext(), "next", here->getParent());
    b.CreateCondBr(condition, some, next);
    b.SetInsertPoint(some);
    const State after = run(before);
    BasicBlock* end = b.GetInsertBlock();
    b.CreateBr(next);
    b.SetInsertPoint(next);
    const auto either = [&](Value* without, Value* with) -> Value* {
      if (without == with) return with;
      llvm::PHINode* phi = b.CreatePHI(with->getType(), 2);
      phi->addIncoming(without, here);
      phi->addIncoming(with, end);
      return phi;
    };
    Value *least = either(before.states.least, after.states.least), *most = either(before.states.most, after.states.most);
    return {{least, most}, either(before.done, after.done)};
  }

  std::optional<RowFunction> any_;  // runs any threads
  bool needs_any_ = false;
  std::vector<Part> parts_;
  std::optional<std::uint32_t> one_state_;  // of all threads
};

}  // namespace

//   region(block, first, count, x, y, z)
//     reads the block and calls, for each row of threads, the functions for its parts
llvm::Function* make_region(const Regions& regions, std::uint32_t point, const Arrays& arrays, llvm::Module& module) {
  RegionRows rows(regions, point, arrays, module);
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  llvm::Function* function = make_host_function(module, ("oxide_host_region" + llvm::Twine(point)).str(),
                                                {llvm::PointerType::get(context, 0), i64, i64, i32, i32, i32}, i64);
  BasicBlock* entry = BasicBlock::Create(context, "entry", function);
  BasicBlock* head = BasicBlock::Create(context, "row", function);
  BasicBlock* done = BasicBlock::Create(context, "done", function);
  Builder b(entry);
  RowFunction& any = rows.any();
  std::vector<Value*> values = any.read_block(b, function->getArg(0), rows.used());
  b.CreateBr(head);

  b.SetInsertPoint(head);
  const auto variable = [&](Value* first) {
    llvm::PHINode* phi = b.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, entry);
    return phi;
  };
  llvm::PHINode *first = variable(function->getArg(1)), *left = variable(function->getArg(2)), *x = variable(function->getArg(3));
  llvm::PHINode *y = variable(function->getArg(4)), *z = variable(function->getArg(5));
  llvm::PHINode *least = variable(b.getInt32(0xffffffff)), *most = variable(b.getInt32(0));
  Value* from = b.CreateZExt(x, i64);
  Value* in_row = b.CreateSub(b.CreateZExt(RegionCode::block_size(values, 0), i64), from);
  Value* count = b.CreateIntrinsic(llvm::Intrinsic::umin, {i64}, {in_row, left});
  values[RegionCode::count] = count;
  values[RegionCode::from] = from;
  values[RegionCode::y] = y;
  values[RegionCode::z] = z;
  values[any.argument(RegionCode::in_first)] = first;
  const States states = rows.run(b, values, {least, most});

  const auto goes_on = [&](llvm::PHINode* phi, Value* value) { phi->addIncoming(value, b.GetInsertBlock()); };
  goes_on(first, b.CreateAdd(first, count));
  Value* rest = b.CreateSub(left, count);
  goes_on(left, rest);
  goes_on(x, b.getInt32(0));
  Value* next_y = b.CreateAdd(y, b.getInt32(1));
  Value* plane = b.CreateICmpEQ(next_y, RegionCode::block_size(values, 1));
  goes_on(y, b.CreateSelect(plane, b.getInt32(0), next_y));
  goes_on(z, b.CreateAdd(z, b.CreateZExt(plane, i32)));
  goes_on(least, states.least);
  goes_on(most, states.most);
  b.CreateCondBr(b.CreateICmpEQ(rest, b.getInt64(0)), done, head);
  b.SetInsertPoint(done);
  // A part with nothing to do gives no state.
  const std::optional<std::uint32_t> one = rows.one_state();
  b.CreateRet(one ? b.getInt64(std::uint64_t{*one} << 32 | *one) : packed(b, states));
  return function;
}

}  // namespace oxide::jit
