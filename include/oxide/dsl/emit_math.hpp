// How mathematical functions record what they do. Not templates, so that a kernel costs its compiler little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <oxide/dsl/emit.hpp>
#include <oxide/ir/math.hpp>

namespace oxide::detail {

enum class Class : std::uint8_t { isnan, isinf, isfinite, isnormal, signbit, fpclassify };
enum class Comparison : std::uint8_t { isgreater, isgreaterequal, isless, islessequal, islessgreater, isunordered };

// A result of a function of the table, on operands of `type` (and an i32 where the table says so). Narrower types go by way of f32.
OXIDE_INLINE trace::Handle emit_math(ir::Math f, unsigned result, ir::Type type, std::initializer_list<trace::Handle> operands,
                                     Where where);

// The length of a vector, or its reciprocal.
OXIDE_INLINE trace::Handle emit_norm(ir::Type type, const trace::Handle* x, std::size_t count, bool reciprocal, Where where);

OXIDE_INLINE trace::Handle emit_classify(Class what, ir::Type type, trace::Handle x, Where where);
OXIDE_INLINE trace::Handle emit_compare(Comparison what, trace::Handle a, trace::Handle b, Where where);
OXIDE_INLINE trace::Handle emit_to_integer(ir::Type type, trace::Handle x, bool ties_away, Where where);
OXIDE_INLINE trace::Handle saturated_i32(trace::Handle wide, Where where);

}  // namespace oxide::detail

#ifndef OXIDE_LINKED
#include <oxide/dsl/emit_math_implementation.hpp>
#endif
