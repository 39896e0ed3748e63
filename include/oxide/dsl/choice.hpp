// Options, results and variants.
#pragma once

#include <oxide/dsl/option.hpp>
#include <oxide/dsl/result.hpp>
#include <oxide/dsl/variant.hpp>
