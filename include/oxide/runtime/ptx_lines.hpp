// From an assembler's complaint about PTX to the user's line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <oxide/ir/graph.hpp>
#include <oxide/runtime/fault.hpp>

namespace oxide::runtime {

// The line of the ox::ptx that the first "line N" of an assembler's log is about; line 0 when it is about something else. In the PTX, each
// of them follows a comment with the number of its string.
inline SourceLine inline_ptx_line(const ir::Graph& graph, std::string_view ptx, std::string_view log) {
  const auto number_at = [](std::string_view text, std::size_t at) {
    std::size_t n = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && n < 100000000; ++at)
      n = 10 * n + static_cast<std::size_t>(text[at] - '0');
    return n;
  };
  const std::size_t said = log.find("line ");
  if (said == std::string_view::npos) return {};
  std::size_t end = 0;
  for (std::size_t line = number_at(log, said + 5); line != 0 && end != std::string_view::npos; --line)
    end = ptx.find('\n', end == 0 ? 0 : end + 1);
  const std::string_view before = ptx.substr(0, end);
  constexpr std::string_view mark = "// ox::ptx ";
  const std::size_t begins = before.rfind(mark);
  if (begins == std::string_view::npos || before.find("// end inline asm", begins) != std::string_view::npos) return {};
  const std::uint64_t string = number_at(before, begins + mark.size());
  for (std::size_t b = 0; b != ir::body_count(graph); ++b)
    for (const ir::Block& block : ir::body_of(graph, b).blocks)
      for (const ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::inline_ptx && op.immediate == string) return detail::source_line(graph, op.location);
  return {};
}

}  // namespace oxide::runtime
