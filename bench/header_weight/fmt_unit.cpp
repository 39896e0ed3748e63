// What is called a header of fair weight.
#include <fmt/format.h>

#include <string>

std::string text(int value) { return fmt::format("{}", value); }
