// Short vectors, ox::Vector<float, 4> on the host, ox::f32x4 in a kernel: operators, functions, and spans of numbers as spans of vectors.
#pragma once

#include <oxide/dsl/vector_functions.hpp>
#include <oxide/dsl/vector_geometry.hpp>
#include <oxide/dsl/vector_operators.hpp>
#include <oxide/dsl/vector_span.hpp>
#include <oxide/dsl/vector_types.hpp>
