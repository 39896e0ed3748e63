// Values behave like the numbers they stand for: copies, assignments, swaps, containers, helpers, conditions.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "support/devices.hpp"

namespace {

ox::f32 by_value(ox::f32 x) {
  x += 1;  // the caller's variable keeps its value
  return x;
}
void by_reference(ox::f32& x) { x += 10; }

template <class K>
void expect(const K& kernel, const std::vector<float>& expected) {
  on_every_device([&](const ox::Stream& stream) { CHECK(run_alone<float>(stream, kernel, expected.size()) == expected); });
}

}  // namespace

TEST_CASE("copies are snapshots, assignments change the variable, a default-made value is zero") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> out) {
    ox::f32 zero, a = 3;
    ox::f32 b = a;
    a = 5;
    auto c = a;
    a += 1;
    const ox::f32& same = a;
    a = 7;
    out.unchecked_mut(0) = zero;
    out.unchecked_mut(1) = b;
    out.unchecked_mut(2) = c;
    out.unchecked_mut(3) = same;
    out.unchecked_mut(4) = by_value(a);
    by_reference(a);
    out.unchecked_mut(5) = a;
    ox::f32 d = 1, e = 2;
    std::swap(d, e);
    out.unchecked_mut(6) = d;
    out.unchecked_mut(7) = e;
    ox::f32 moved = std::move(d);
    d = 9;
    out.unchecked_mut(8) = moved;
    const ox::f32& itself = d;
    d = itself;
    out.unchecked_mut(9) = d;
    out.unchecked_mut(10) = (d = 4) + 1;
  });
  expect(k, {0, 3, 5, 7, 8, 17, 2, 1, 2, 9, 5});
}

TEST_CASE("values in arrays, vectors and pairs; standard algorithms") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> out) {
    std::array<ox::f32, 4> tile{};
    for (unsigned i = 0; i < 4; ++i) tile[i] += 4 - i;
    std::vector<ox::f32> copy(tile.begin(), tile.begin() + 3);
    const auto before = [](const ox::f32& a, const ox::f32& b) { return static_cast<bool>(a < b); };
    for (unsigned i = 0; i < 3; ++i)  // a sorting network
      for (unsigned j = 0; j + 1 < 3; ++j)
        if (copy[j + 1] < copy[j]) std::swap(copy[j], copy[j + 1]);
    out.unchecked_mut(0) = copy[0];
    out.unchecked_mut(1) = copy[2];
    out.unchecked_mut(2) = std::max(tile[0], tile[1]) + std::min(tile[2], tile[3]);
    out.unchecked_mut(3) = std::clamp(tile[0], tile[2], tile[1]);
    std::pair<ox::f32, ox::f32> p{1, 2};
    std::swap(p.first, p.second);
    out.unchecked_mut(4) = p.first - p.second;
    out.unchecked_mut(5) = *std::max_element(tile.begin(), tile.end(), before);
  });
  expect(k, {2, 4, 5, 3, 1, 4});
}

TEST_CASE("conditions short-circuit, negation is an operation, the conditional operator takes one way") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> out) {
    ox::i32 calls = 0;
    const auto yes = [&] {
      ++calls;
      return calls > 0;
    };
    ox::boolean no = false;
    const ox::boolean both = no && yes();
    const ox::boolean either = !no || yes();
    out.unchecked_mut(0) = ox::cast<float>(calls);
    out.unchecked_mut(1) = ox::cast<float>(both) + 2 * ox::cast<float>(either);
    const auto pick = no ? ox::f32(1) : ox::f32(2);
    out.unchecked_mut(2) = pick;
    out.unchecked_mut(3) = ox::cast<float>((no | true) & !no);
    ox::i32 from_host = calls < 1 && !no;  // decisions first, then a host bool
    out.unchecked_mut(4) = ox::cast<float>(from_host);
  });
  expect(k, {0, 2, 2, 1, 1});
  int decisions = 0;
  const auto graph = ox::kernel("k", [](ox::Span<const int> a, ox::DisjointSpan<int> out) {
                       ox::boolean c = a[0] < 1;
                       ox::boolean d = !(c & (a[1] < 2)) | !c;
                       out.unchecked_mut(0) = ox::cast<int>(d);
                     }).graph();
  for (const auto& block : graph->blocks) decisions += block.terminator.kind == oxide::ir::TerminatorKind::branch;
  CHECK(decisions == 0);
}

TEST_CASE("every operation knows its line and column") {
  const unsigned first = __LINE__ + 2;
  const auto graph = ox::kernel("k", [](ox::Span<const float> a, ox::DisjointSpan<float> out) {
                       ox::f32 x = a[0];
                       x = x +  // a line of its own for the right operand
                           2 * x;
                       x -= 1;
                       ++x;
                       out.unchecked_mut(0) = ox::sqrt(x);
                     }).graph();
  using oxide::ir::Opcode;
  const auto line_of = [&](Opcode opcode, unsigned nth = 0) {
    for (const auto& block : graph->blocks)
      for (const auto& op : block.operations)
        if (op.opcode == opcode && nth-- == 0) {
          CHECK(op.location.column > 0);
          CHECK(graph->files.at(op.location.file).find("values.cpp") != std::string::npos);
          return op.location.line - first;
        }
    return 999u;
  };
  CHECK(line_of(Opcode::check_bounds) == 0);
  CHECK(line_of(Opcode::load) == 0);
  CHECK(line_of(Opcode::mul) == 2);
  CHECK((line_of(Opcode::add) == 1 || line_of(Opcode::add) == 2));  // of an operator over two lines, the right operand's
  CHECK(line_of(Opcode::sub) == 3);
  CHECK(line_of(Opcode::add, 1) == 4);
  CHECK(line_of(Opcode::sqrt) == 5);
  CHECK(line_of(Opcode::store) == 5);
}
