// What oxide throws. Every error carries its facts as members; the text is made from them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <oxide/linkage.hpp>

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

  std::string text() const;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// A kernel that cannot be traced: host state changed in a loop, a loop that never ends, a Value used where it does not live.
class TraceError : public Error {
 public:
  TraceError(std::string kernel_name, SourceLine where, const std::string& what_happened);
  // The same, in a device function that the kernel calls.
  TraceError(const TraceError& e, const std::string& function);
  std::string kernel;
  SourceLine line;
};

// The compiler library is missing or too old, or could not compile the kernel.
class CompileError : public Error {
 public:
  CompileError(std::string kernel_name, const std::string& what_happened);
  std::string kernel;
};

// A launch that was refused before it started: the kernel, the parameter (-1 when it is not about one), what was needed, what came.
class LaunchError : public Error {
 public:
  LaunchError(std::string kernel_name, int parameter_index, std::string what_was_needed, std::string what_came);
  std::string kernel;
  int parameter;
  std::string needed, given;
};

// No usable device, an old driver, or a driver call that failed: what oxide was doing and the driver's name for the error.
class DeviceError : public Error {
 public:
  DeviceError(std::string doing_what, std::string driver_error, int driver_code = 0);
  std::string doing, error;
  int code;
};

// A check that failed while a kernel ran: where, with what values, in which thread.
class KernelFault : public Error {
 public:
  KernelFault(std::string kernel_name, SourceLine where, const std::string& what_happened);
  std::string kernel;
  SourceLine line;
  std::uint32_t block[3] = {}, thread[3] = {};
};

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/error_implementation.hpp>
#endif
