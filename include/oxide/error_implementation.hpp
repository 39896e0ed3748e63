// The text of errors.
#pragma once

#include <string>
#include <utility>

#include <oxide/error.hpp>

namespace oxide {

OXIDE_INLINE std::string SourceLine::text() const { return line == 0 ? std::string("unknown line") : file + ':' + std::to_string(line); }

namespace detail {
inline std::string at_line(const SourceLine& where) { return where.line == 0 ? std::string() : " (" + where.text() + ')'; }
inline std::string of_kernel(const std::string& name) { return name.empty() ? std::string() : "kernel '" + name + "': "; }
}  // namespace detail

OXIDE_INLINE TraceError::TraceError(std::string kernel_name, SourceLine where, const std::string& what_happened)
    : Error(detail::of_kernel(kernel_name) + what_happened + detail::at_line(where)), kernel(std::move(kernel_name)),
      line(std::move(where)) {}
OXIDE_INLINE TraceError::TraceError(const TraceError& e, const std::string& function)
    : Error(e.what() + (", in function '" + function + '\'')), kernel(e.kernel), line(e.line) {}

OXIDE_INLINE CompileError::CompileError(std::string kernel_name, const std::string& what_happened)
    : Error(detail::of_kernel(kernel_name) + what_happened), kernel(std::move(kernel_name)) {}

OXIDE_INLINE LaunchError::LaunchError(std::string kernel_name, int parameter_index, std::string what_was_needed, std::string what_came)
    : Error((kernel_name.empty() ? std::string("launch") : "kernel '" + kernel_name + '\'') +
            (parameter_index < 0 ? std::string() : ", parameter " + std::to_string(parameter_index + 1)) + ": needed " + what_was_needed +
            ", got " + what_came),
      kernel(std::move(kernel_name)), parameter(parameter_index), needed(std::move(what_was_needed)), given(std::move(what_came)) {}

OXIDE_INLINE DeviceError::DeviceError(std::string doing_what, std::string driver_error, int driver_code)
    : Error(doing_what + ": " + driver_error), doing(std::move(doing_what)), error(std::move(driver_error)), code(driver_code) {}

OXIDE_INLINE KernelFault::KernelFault(std::string kernel_name, SourceLine where, const std::string& what_happened)
    : Error("kernel '" + kernel_name + "': " + what_happened + detail::at_line(where)), kernel(std::move(kernel_name)),
      line(std::move(where)) {}

}  // namespace oxide
