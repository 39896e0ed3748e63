// The umbrella of the kernel language and the runtime.
#pragma once

#include <oxide/dsl/array_value.hpp>
#include <oxide/dsl/assert.hpp>
#include <oxide/dsl/bind.hpp>
#include <oxide/dsl/bits.hpp>
#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/disjoint_span.hpp>
#include <oxide/dsl/global.hpp>
#include <oxide/dsl/kernel.hpp>
#include <oxide/dsl/local_array.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/math_approx.hpp>
#include <oxide/dsl/math_functions.hpp>
#include <oxide/dsl/print.hpp>
#include <oxide/dsl/range.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/dsl/table.hpp>
#include <oxide/dsl/thread.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/error.hpp>
#include <oxide/jit/library_path.hpp>
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch_config.hpp>
#include <oxide/runtime/stream.hpp>
