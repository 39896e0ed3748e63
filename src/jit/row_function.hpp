// The functions that run threads of a row of a block through a region: all parameters are the same for all of them.
//
//   function(count, x, ..., arguments..., arrays, shared, stride, first, ...)
#pragma once

#include "host_calls.hpp"
#include "host_function.hpp"
#include "plain_rows.hpp"
#include "region_function.hpp"
#include "regions.hpp"
#include "row_parts.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace oxide::jit {

// The least and the greatest state of some threads, in the halves of an i64.
struct States {
  llvm::Value *least, *most;  // i32
};
llvm::Value* packed(Builder& b, const States& states);

// The state of a thread where a region ends, which exits of a Region say.
std::uint32_t state_at(const Regions& regions, std::uint32_t exit);

class RegionCode : public HostFunction {
 public:
  enum More : unsigned { in_arrays, in_shared, in_stride, in_first, in_cluster_stride, in_stack_limit };
  // As HostFunction has them.
  enum Place : unsigned { count = x_count, from = x_from, y = thread_y, z = thread_z };

  llvm::Function& function() const { return *row_; }
  unsigned argument(More which) const { return more_ + which; }
  // The parameters that a region finds in its block; those that are not `used` are not read.
  std::vector<llvm::Value*> read_block(Builder& b, llvm::Value* simt_block, const std::vector<bool>& used);
  void note_used(std::vector<bool>& used) const;
  static llvm::Value* block_size(const std::vector<llvm::Value*>& values, unsigned axis) { return values[block_dim + axis]; }

 protected:
  RegionCode(const ir::Graph& graph, llvm::Module& module, const RowPart& part, const Arrays& arrays, const std::string& name);

  llvm::Argument* more(More which) const { return row_->getArg(more_ + which); }

 private:
  void limit_to(const RowPart& part);

  unsigned more_ = 0;
};

// for i in 0 .. count: the region's code for the thread first + i, which ends with its state. Gives the states as a SimtRegion does.
class RowFunction final : public RegionCode {
 public:
  // `graph` is the part's, or where its limits hold the plain row's; `sites` says which checks its checks are. `vectorize`: it runs most
  // threads.
  RowFunction(const Regions& regions, std::uint32_t point, const RowPart& part, const ir::Graph& graph,
              const std::vector<std::uint32_t>& sites, const Arrays& arrays, llvm::Module& module, const std::string& name, bool vectorize);

  // The state that all threads end in, if there is one.
  std::optional<std::uint32_t> one_state() const;
  // Completes the function. `store`: whether some thread of the region may end in another state than others, so that each one's is stored.
  void finish(bool store);

 private:
  // ---- Surroundings
  llvm::Value* thread_number(Builder&) override { return number_; }
  llvm::ArrayRef<ir::Variable> inherited() override { return region_.inherited; }
  llvm::Value* inherit(Builder& b, ir::Variable v) override;
  llvm::Value* array(Builder& b, const ir::Operation& op) override;
  llvm::Value* in_block(Builder& b, llvm::Value* rank, llvm::Value* address) override;
  void leave(Builder& b) override;
  void leave_from(Builder& b, std::uint32_t number, Read read) override;
  void fail(Builder& b, std::uint32_t site, llvm::Value* first_value, llvm::Value* second_value) override;
  std::vector<llvm::Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<llvm::Value*> arguments) override;
  llvm::Value* out_of_stack(Builder& b) override { return calls_.out_of_stack(b); }

  void arrive(Builder& b, std::uint32_t state);
  void fail_with(Builder& b, llvm::Value* site, llvm::Value* first_value, llvm::Value* second_value);

  // A thread's place in an array of the block.
  llvm::Value* element(Builder& b, ir::Variable v);
  llvm::Value* element(Builder& b, std::uint32_t name, llvm::Type* type);

  void make_body(bool vectorize);
  void find_shared_memory(Builder& b);
  llvm::Value* states();

  const Regions& regions_;
  const Region& region_;
  const std::vector<std::uint32_t>& sites_;
  const Arrays& arrays_;
  HostCalls calls_;
  llvm::Value* number_ = nullptr;  // of the thread in its block
  Loop loop_{};  // over the threads
  llvm::PHINode* state_ = nullptr;
  llvm::BasicBlock* failed_ = nullptr;
  std::array<llvm::PHINode*, 3> failure_{};  // site, values
};

// Which of the threads the limits of a plain row hold for: gives the number of the first one and, in the upper half of an i64, of the first
// behind them.
class LimitsFunction final : public RegionCode {
 public:
  LimitsFunction(const PlainRow& plain, const RowPart& part, const Arrays& arrays, llvm::Module& module, const std::string& name);

 private:
  void fail(Builder& b, std::uint32_t, llvm::Value*, llvm::Value*) override { b.CreateUnreachable(); }  // it has no checks
  void leave(Builder&) override {}
  void leave_from(Builder& b, std::uint32_t number, Read read) override;
  llvm::Value* other_side(Builder& b, const PlainRow::Limit& limit, llvm::Type* type, Read read);

  const std::vector<PlainRow::Limit>& limits_;
};

}  // namespace oxide::jit
