// Everything that the umbrella needs to run: included by it, or with OXIDE_LINKED by one source file of a program.
#pragma once

#include <oxide/dsl/assert_implementation.hpp>
#include <oxide/dsl/bits_implementation.hpp>
#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/integer_implementation.hpp>
#include <oxide/dsl/emit_math_implementation.hpp>
#include <oxide/dsl/flat_implementation.hpp>
#include <oxide/dsl/kernel_implementation.hpp>
#include <oxide/dsl/position_implementation.hpp>
#include <oxide/dsl/print_implementation.hpp>
#include <oxide/dsl/ptx_implementation.hpp>
#include <oxide/error_implementation.hpp>
#include <oxide/jit/target_implementation.hpp>
#include <oxide/runtime/buffer_implementation.hpp>
#include <oxide/runtime/device_registry.hpp>
#include <oxide/runtime/launch_shapes.hpp>
#include <oxide/runtime/print_implementation.hpp>
#include <oxide/runtime/storage_implementation.hpp>
