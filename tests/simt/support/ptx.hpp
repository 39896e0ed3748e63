// PTX in tests: what is in it, and whether it assembles.
#pragma once

#include <cstddef>
#include <string>

#include "support/ptxas.hpp"
#include "support/skip.hpp"

inline std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

inline bool has_assembler() { return !oxide::testing::ptxas_path().empty(); }
// What ptxas says; "" when it is content.
inline std::string assemble(const std::string& ptx, unsigned sm) { return oxide::testing::ptxas_complaint(ptx, sm); }
