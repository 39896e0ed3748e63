// The threads of a row for which a region's checks pass, its indices are clamped by nothing, and its guards against the end of the data let
// them go on. That is known from the row's first thread, because all of it grows by one from thread to thread; mostly it is the whole row.
// They run a copy of the code without any of it, in which neighbours read neighbours.
#pragma once

#include <oxide/ir/graph.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace oxide::jit {

struct Region;
struct RowPart;

struct PlainRow {
  // What has to hold of `value`, an integer that is the same for all threads or grows by one, wrapping, from thread to thread.
  struct Limit {
    enum Kind : std::uint8_t { below, at_most, at_least } kind;
    ir::Variable value = ir::no_variable;
    bool grows = false;
    // The other side, the same for all threads: one of a variable, the length of a memory, or a number.
    ir::Variable variable = ir::no_variable;
    std::optional<std::uint32_t> memory = {};
    std::uint64_t number = 0;
    friend bool operator==(const Limit&, const Limit&) = default;
  };
  std::vector<Limit> limits;  // what a value is computed from is limited before it is
  ir::Graph values;  // one block that computes what the limits name, for a thread
  ir::Graph graph;  // the region's where all limits hold; blocks keep their numbers
  std::vector<std::uint32_t> sites;  // of each check of `graph`: its number in the kernel
};

// Of a part of a region. Nothing where no code would become simpler.
std::optional<PlainRow> plain_row(const Region& region, const RowPart& part);

}  // namespace oxide::jit
