// What operations of a trace name beside values: strings, functions, and memories that are no parameters. Operations carry the number of
// the declaration; equal declarations are one, so that the number depends neither on the run nor on the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/trace/called_function.hpp>

namespace oxide::trace {

// Shared by all runs of one kernel lambda.
class Declarations {
 public:
  // A run starts: what an earlier one left alive is gone.
  void start_run() {
    for (Declared& d : memories_) d.alive = false;
  }

  std::uint32_t string(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>()(text);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto i = first; i != last; ++i)
      if (strings_[i->second] == text) return i->second;
    const auto number = static_cast<std::uint32_t>(strings_.size());
    strings_.emplace_back(text);
    by_hash_.emplace(hash, number);
    return number;
  }

  // A table of constants: the elements as they lie in memory. Equal tables are one.
  std::uint32_t table(ir::Memory memory, std::string_view bytes) {
    memory.kind = ir::MemoryKind::table;
    memory.data = string(bytes);
    for (std::size_t i = 0; i != memories_.size(); ++i)
      if (memories_[i].memory.kind == memory.kind && memories_[i].memory.data == memory.data &&
          memories_[i].memory.element == memory.element && memories_[i].memory.layout == memory.layout)
        return number_of(i);
    return add({memory, nullptr});
  }

  // Memory that the runtime knows by `object`.
  std::uint32_t storage(ir::Memory memory, Counted<const void> object) {
    memory.kind = ir::MemoryKind::storage;
    for (std::size_t i = 0; i != memories_.size(); ++i)
      if (memories_[i].object == object) return number_of(i);
    return add({memory, std::move(object)});
  }

  // A shared array. As with __shared__, a declaration that is passed again, in a loop or by another call, is the same array; only arrays
  // that are alive at the same time are different ones.
  std::uint32_t shared(ir::Memory memory, const char* file, std::uint32_t line, std::uint32_t column) {
    for (std::size_t i = 0; i != memories_.size(); ++i) {
      Declared& d = memories_[i];
      const ir::Memory& m = d.memory;
      if (d.alive || m.kind != memory.kind || m.element != memory.element || m.elements != memory.elements || m.layout != memory.layout ||
          m.location.line != line || m.location.column != column || d.file != file)
        continue;
      d.alive = true;
      return number_of(i);
    }
    if (memory.kind == ir::MemoryKind::dynamic_shared && memory.elements == 0) memory.parameter = sizes_++;
    memory.location = {0, line, column};
    return add({memory, nullptr, file, true});
  }
  void release(std::uint32_t memory) { memories_[memory - ir::first_declared_memory].alive = false; }

  // The function of a call; known by its identity and the memories that it is given.
  std::uint32_t function(const CalledFunction& called) {
    for (std::size_t i = 0; i != functions_.size(); ++i)
      if (functions_[i].is(called)) return static_cast<std::uint32_t>(i);
    functions_.emplace_back(called);
    return static_cast<std::uint32_t>(functions_.size() - 1);
  }
  // More may come while one is traced.
  std::size_t functions() const { return functions_.size(); }
  // As it was called first; with its lists.
  CalledFunction function(std::size_t i) const { return functions_[i].called(); }

  // Gives the graph what its operations name, numbered in the order of their first use.
  void resolve(ir::Graph& graph) const { Resolver(*this, graph).run(); }

 private:
  struct Declared {
    ir::Memory memory;
    Counted<const void> object;  // storage
    std::string file = {};  // shared: where it is declared, with memory.location
    bool alive = false;  // shared: in the run that is being made
  };

  // A called function, with lists that stay.
  class DeclaredFunction {
   public:
    explicit DeclaredFunction(const CalledFunction& f) : called_(f), name_(f.name), memories_(f.memories, f.memories + f.memory_count) {}
    bool is(const CalledFunction& f) const {
      if (called_.identity != f.identity || memories_.size() != f.memory_count) return false;
      for (std::size_t i = 0; i != memories_.size(); ++i)
        if (memories_[i].memory != f.memories[i].memory) return false;
      return true;
    }
    CalledFunction called() const {
      CalledFunction f = called_;
      f.name = name_;
      f.memories = memories_.data();
      return f;
    }

   private:
    CalledFunction called_;  // the lists of types are constants of the program
    std::string name_;
    std::vector<MemoryArgument> memories_;
  };

  static constexpr std::uint32_t unused = 0xffffffff;
  static std::uint32_t number_of(std::size_t i) { return ir::first_declared_memory + static_cast<std::uint32_t>(i); }
  std::uint32_t add(Declared declared) {
    if (memories_.size() >= 0x10000 - ir::first_declared_memory)
      throw Error("a kernel names too many constant tables, globals and shared arrays");
    memories_.push_back(std::move(declared));
    return number_of(memories_.size() - 1);
  }

  class Resolver {
   public:
    Resolver(const Declarations& declarations, ir::Graph& graph)
        : all_(declarations), graph_(graph), strings_(all_.strings_.size(), unused), memories_(all_.memories_.size(), unused) {}
    void run() {
      body(graph_);
      for (ir::Function& function : graph_.functions) body(function);
      if (prints_) graph_.parameters.push_back({ir::ParameterKind::printer, ir::Type::none});
    }

   private:
    void body(ir::Body& body) {
      for (ir::Block& block : body.blocks)
        for (ir::Operation& op : block.operations) {
          const ir::Immediate immediate = ir::row_of(op.opcode).immediate;
          prints_ |= op.opcode == ir::Opcode::print;
          if (immediate == ir::Immediate::string) op.immediate = string(op.immediate);
          if (immediate == ir::Immediate::two_memories)
            op.immediate = ir::two_memories(in_graph(ir::memory_number(op.immediate)), in_graph(ir::second_memory(op.immediate)));
          else if (ir::names_memory(immediate))
            op.immediate = ir::with_memory_number(op.immediate, in_graph(ir::memory_number(op.immediate)));
        }
    }
    std::uint32_t string(std::uint64_t declared) {
      std::uint32_t& number = strings_[static_cast<std::size_t>(declared)];
      if (number == unused) {
        number = static_cast<std::uint32_t>(graph_.strings.size());
        graph_.strings.push_back(all_.strings_[static_cast<std::size_t>(declared)]);
      }
      return number;
    }
    std::uint32_t in_graph(std::uint32_t number) {
      return number < ir::first_declared_memory ? number : memory(number - ir::first_declared_memory);
    }
    std::uint32_t memory(std::size_t declared) {
      if (memories_[declared] != unused) return memories_[declared];
      const Declared& d = all_.memories_[declared];
      ir::Memory memory = d.memory;
      if (memory.kind == ir::MemoryKind::table) memory.data = string(memory.data);
      if (memory.kind == ir::MemoryKind::storage) {
        memory.parameter = static_cast<std::uint32_t>(graph_.parameters.size());
        graph_.parameters.push_back({ir::ParameterKind::storage, memory.element, memory.layout});
        graph_.storages.push_back(d.object);
      }
      if (ir::is_shared(memory)) memory.location.file = file(d.file);
      graph_.memories.push_back(memory);
      return memories_[declared] = static_cast<std::uint32_t>(graph_.memories.size() - 1);
    }

    std::uint32_t file(const std::string& name) {
      std::uint32_t number = 0;
      while (number != graph_.files.size() && graph_.files[number] != name) ++number;
      if (number == graph_.files.size()) graph_.files.push_back(name);
      return number;
    }

    const Declarations& all_;
    ir::Graph& graph_;
    std::vector<std::uint32_t> strings_, memories_;  // their numbers in the graph
    bool prints_ = false;
  };

  std::vector<std::string> strings_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  std::vector<Declared> memories_;
  std::uint32_t sizes_ = 0;  // of the launch's list of sizes of shared arrays
  std::deque<DeclaredFunction> functions_;  // do not move when more come
};

}  // namespace oxide::trace
