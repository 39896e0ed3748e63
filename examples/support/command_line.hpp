// What an example is told on its command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <oxide/oxide.hpp>

namespace support {

// Options are written `--name value`; other words fill the options in the order in which the example lists them. Every example
// takes --device and --help.
class CommandLine {
 public:
  struct Option {
    std::string_view name, meaning;
  };

  // Prints the options and ends the program for --help. Throws std::invalid_argument for an option that is not listed.
  CommandLine(int argc, char** argv, std::string_view purpose, std::initializer_list<Option> options) : options_(options) {
    std::size_t next = 0;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--help" || word == "-h") help(argv[0], purpose);
      if (!word.starts_with("--")) {
        if (next == options_.size()) throw std::invalid_argument("does not know what to do with '" + word + "'; see --help");
        values_[std::string(options_[next++].name)] = word;
        continue;
      }
      const std::string name = word.substr(2);
      if (name != "device" && !lists(name)) throw std::invalid_argument("has no option '" + word + "'; see --help");
      if (++i == argc) throw std::invalid_argument("needs a value after '" + word + "'");
      values_[name] = argv[i];
    }
  }

  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto at = values_.find(name);
    return at == values_.end() ? otherwise : at->second;
  }

  // A count, at least 1.
  std::size_t number(const std::string& name, std::size_t otherwise) const {
    const auto at = values_.find(name);
    if (at == values_.end()) return otherwise;
    const std::string& digits = at->second;
    if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos || std::stoull(digits) == 0)
      throw std::invalid_argument("needs a number from 1 for --" + name + ", not '" + digits + "'");
    return static_cast<std::size_t>(std::stoull(digits));
  }

  // --device cpu or gpu; the best one when it is not given.
  oxide::Device device() const {
    const std::string which = text("device", "best");
    if (which == "best") return oxide::Device::best();
    if (which == "cpu") return oxide::Device::cpu();
    if (which == "gpu") return oxide::Device::gpu(0);
    throw std::invalid_argument("needs cpu or gpu for --device, not '" + which + "'");
  }

 private:
  bool lists(std::string_view name) const {
    for (const Option& option : options_)
      if (option.name == name) return true;
    return false;
  }

  [[noreturn]] void help(std::string_view program, std::string_view purpose) const {
    fmt::print("{}\n\nusage: {}", purpose, program.substr(program.rfind('/') + 1));
    for (const Option& option : options_) fmt::print(" [[--{0}] {0}]", option.name);
    fmt::print(" [--device cpu|gpu]\n");
    for (const Option& option : options_) fmt::print("  --{:<11} {}\n", option.name, option.meaning);
    fmt::print("  --{:<11} {}\n", "device", "cpu or gpu; the first GPU, or the CPU when there is none");
    std::exit(0);
  }

  std::vector<Option> options_;
  std::map<std::string, std::string> values_;
};

}  // namespace support
