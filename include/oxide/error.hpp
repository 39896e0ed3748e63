// What oxide throws. Every error carries its facts as members; the text is made from them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace oxide {

// The base of everything oxide throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A place in the user's source; line 0 when there is none.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  std::string text() const { return line == 0 ? std::string("unknown line") : file + ':' + std::to_string(line); }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// A kernel that cannot be traced: host state changed in a loop, a loop that never ends, a Value used where it does not live.
class TraceError : public Error {
 public:
  TraceError(std::string kernel_name, SourceLine where, const std::string& what_happened)
      : Error((kernel_name.empty() ? std::string() : "kernel '" + kernel_name + "': ") + what_happened +
              (where.line == 0 ? std::string() : " (" + where.text() + ')')),
        kernel(std::move(kernel_name)), line(std::move(where)) {}
  // The same, in a device function that the kernel calls.
  TraceError(const TraceError& e, const std::string& function)
      : Error(e.what() + (", in function '" + function + '\'')), kernel(e.kernel), line(e.line) {}
  std::string kernel;
  SourceLine line;
};

// The compiler library is missing or too old, or could not compile the kernel.
class CompileError : public Error {
 public:
  CompileError(std::string kernel_name, const std::string& what_happened)
      : Error((kernel_name.empty() ? std::string() : "kernel '" + kernel_name + "': ") + what_happened), kernel(std::move(kernel_name)) {}
  std::string kernel;
};

// A launch that was refused before it started: the kernel, the parameter (-1 when it is not about one), what was needed, what came.
class LaunchError : public Error {
 public:
  LaunchError(std::string kernel_name, int parameter_index, std::string what_was_needed, std::string what_came)
      : Error((kernel_name.empty() ? std::string("launch") : "kernel '" + kernel_name + '\'') +
              (parameter_index < 0 ? std::string() : ", parameter " + std::to_string(parameter_index + 1)) + ": needed " + what_was_needed +
              ", got " + what_came),
        kernel(std::move(kernel_name)), parameter(parameter_index), needed(std::move(what_was_needed)), given(std::move(what_came)) {}
  std::string kernel;
  int parameter;
  std::string needed, given;
};

// No usable device, an old driver, or a driver call that failed: what oxide was doing and the driver's name for the error.
class DeviceError : public Error {
 public:
  DeviceError(std::string doing_what, std::string driver_error, int driver_code = 0)
      : Error(doing_what + ": " + driver_error), doing(std::move(doing_what)), error(std::move(driver_error)), code(driver_code) {}
  std::string doing, error;
  int code;
};

// A check that failed while a kernel ran: where, with what values, in which thread.
class KernelFault : public Error {
 public:
  KernelFault(std::string kernel_name, SourceLine where, const std::string& what_happened)
      : Error("kernel '" + kernel_name + "': " + what_happened + (where.line == 0 ? std::string() : " (" + where.text() + ')')),
        kernel(std::move(kernel_name)), line(std::move(where)) {}
  std::string kernel;
  SourceLine line;
  std::uint32_t block[3] = {}, thread[3] = {};
};

}  // namespace oxide
