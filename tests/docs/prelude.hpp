// What the code blocks of a page may use without saying so, and the program that runs them.
#pragma once

#include <oxide/oxide.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

namespace ox = oxide;

#define OXIDE_DOCS_PRELUDE                                      \
  [[maybe_unused]] ox::Device device = ox::Device::best();      \
  [[maybe_unused]] ox::Stream stream = device.default_stream(); \
  [[maybe_unused]] const std::size_t n = 1024;                  \
  [[maybe_unused]] std::vector<float> a_host(n, 1.0f), b_host(n, 2.0f);

namespace docs {

// A block of the page, by the line of its fence; blocks run in the order of the page.
struct Block {
  using Run = void (*)();
  static std::vector<Block>& all() {
    static std::vector<Block> blocks;
    return blocks;
  }
  int line;
  Run run;
  Block(int at, Run what) : line(at), run(what) { all().push_back(*this); }
};

}  // namespace docs

int main() {
  int failed = 0;
  for (const docs::Block& block : docs::Block::all()) {
    try {
      block.run();
      std::printf("line %d: ok\n", block.line);
    } catch (const std::exception& e) {
      std::printf("line %d: %s\n", block.line, e.what());
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
