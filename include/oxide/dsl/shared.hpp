// Shared memory: arrays that the threads of a block have in common.
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/index.hpp>
#include <oxide/dsl/ref.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {
namespace detail {

// A shared array of the caller's, for a function that takes it by reference.
struct BorrowedArray {
  std::uint32_t memory;
};

// A shared array while the trace is in its scope. It is passed by reference: a copy would not say whether it is another array.
template <class T>
class SharedArray {
  static_assert(
      Element<T> && !std::is_const_v<T>,
      "oxide: the elements of a shared array are bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays "
      "of them");
  static_assert(alignof(T) <= 16, "oxide: the elements of a shared array are aligned to at most 16 bytes");

 public:
  using element_type = T;
  // No device's block holds more.
  static constexpr std::uint64_t largest = ir::max_shared_bytes / sizeof(T);

  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  // For oxide's own headers.
  std::uint32_t memory() const { return memory_; }
  using oxide_borrowed = BorrowedArray;

 protected:
  SharedArray(std::uint64_t elements, bool dynamic, Where where) : memory_(declare_shared(element_layout<T>(), elements, dynamic, where)) {}
  explicit SharedArray(BorrowedArray array) : memory_(array.memory), borrowed_(true) {}
  ~SharedArray() {
    if (!borrowed_) release_shared(memory_);
  }

  // What is read or written is what was checked, even if the variable i changes in between.
  Ref<T> element(const Index& i) const {
    const trace::Handle index = emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
    emit(ir::Opcode::check_bounds, ir::Type::none, index, memory_, i.where);
    return Ref<T>(memory_, index, i.where);
  }
  trace::Handle checked(const Index& i, std::uint64_t limit) const {
    if (i.known && i.number >= limit) refuse_index(i.where, {i.number, false}, limit);
    const trace::Handle index = emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
    emit(ir::Opcode::check_index, ir::Type::none, index, limit, i.where);
    return index;
  }

 private:
  std::uint32_t memory_;
  bool borrowed_ = false;
};

}  // namespace detail

// An array of N elements that each block has one of. It is not initialized, and what one thread writes another may read after a barrier.
// As with __shared__, the declaration is the array: in a loop, or in a helper that is called twice, it is the same one each time.
// Example: ox::Shared<float, 256> tile;  tile[t] = x;  ox::sync_threads();  ox::f32 y = tile[255 - t];
template <class T, std::uint64_t N>
class Shared : public detail::SharedArray<T> {
  static_assert(N > 0, "oxide: a shared array has at least one element");
  static_assert(N <= Shared::largest, "oxide: a shared array has at most 1 MiB, and a block of today's GPUs 227 KiB");

 public:
  explicit Shared(detail::Where where = detail::Where::current()) : detail::SharedArray<T>(N, false, where) {}
  // For oxide's own headers: the array of a caller.
  explicit Shared(detail::BorrowedArray array) : detail::SharedArray<T>(array) {}

  static constexpr std::uint64_t size() { return N; }
  // Reads or writes, after a check of i against N: of a host integer while tracing, of a value when the kernel runs.
  Ref<T> operator[](detail::Index i) const {
    if (i.known && i.number >= N) detail::refuse_index(i.where, {i.number, false}, N);
    return this->element(i);
  }
  // Reads or writes without a check: i must be below N.
  Ref<T> unchecked(detail::Index i) const { return Ref<T>(this->memory(), i.handle, i.where); }
};

// Where the elements of a Shared2D lie. The threads of a warp that access different elements of one bank wait for each other; there are
// 32 banks of 4 bytes.

// Row after row.
struct RowMajor {
  static constexpr std::uint64_t pitch(std::uint64_t columns) { return columns; }
  static u64 column(const u64&, const u64& c, std::uint64_t) { return c; }
};
// Rows with P unused elements behind each: with P = 1, a column of 32 rows of 32 lies in 32 banks.
template <std::uint64_t P = 1>
struct Padded {
  static constexpr std::uint64_t pitch(std::uint64_t columns) { return columns + P; }
  static u64 column(const u64&, const u64& c, std::uint64_t) { return c; }
};
// The columns of each row permuted by exclusive or with the row's number, in groups of Vector elements that stay together. Takes no
// space. The number of columns is a power of two.
template <std::uint64_t Vector = 1>
struct XorSwizzle {
  static constexpr std::uint64_t pitch(std::uint64_t columns) { return columns; }
  static u64 column(const u64& r, const u64& c, std::uint64_t columns) { return c ^ r % (columns / Vector) * Vector; }
};

// An array of Rows x Columns elements that each block has one of. Example: ox::Shared2D<float, 32, 32, ox::Padded<>> tile;  tile(y, x) = v;
template <class T, std::uint64_t Rows, std::uint64_t Columns, class Layout = RowMajor>
class Shared2D : public detail::SharedArray<T> {
  static_assert(Rows > 0 && Columns > 0, "oxide: a shared array has at least one element");
  static constexpr std::uint64_t pitch = Layout::pitch(Columns);
  static_assert(Rows <= Shared2D::largest && pitch <= Shared2D::largest && Rows * pitch <= Shared2D::largest,
                "oxide: a shared array has at most 1 MiB, and a block of today's GPUs 227 KiB");

  template <class L>
  static constexpr bool fits(const L*) {
    return true;
  }
  template <std::uint64_t Vector>
  static constexpr bool fits(const XorSwizzle<Vector>*) {
    return (Columns & (Columns - 1)) == 0 && (Vector & (Vector - 1)) == 0 && Vector != 0 && Vector < Columns;
  }
  static_assert(fits(static_cast<const Layout*>(nullptr)),
                "oxide: an XorSwizzle needs a power of two of columns, in groups of a smaller power of two");

 public:
  explicit Shared2D(detail::Where where = detail::Where::current()) : detail::SharedArray<T>(Rows * pitch, false, where) {}
  // For oxide's own headers: the array of a caller.
  explicit Shared2D(detail::BorrowedArray array) : detail::SharedArray<T>(array) {}

  static constexpr std::uint64_t rows() { return Rows; }
  static constexpr std::uint64_t columns() { return Columns; }

  // Reads or writes, after checks of the row and of the column.
  Ref<T> operator()(detail::Index row, detail::Index column) const {
    return at(this->checked(row, Rows), this->checked(column, Columns), column.where);
  }
  // The same as tile[row][column].
  class Row {
   public:
    Ref<T> operator[](detail::Index column) const { return tile_.at(row_, tile_.checked(column, Columns), column.where); }

   private:
    friend Shared2D;
    Row(const Shared2D& tile, trace::Handle row) : tile_(tile), row_(row) {}
    const Shared2D& tile_;
    trace::Handle row_;
  };
  Row operator[](detail::Index row) const { return Row(*this, this->checked(row, Rows)); }

  // For oxide's own headers: where an element lies.
  static trace::Handle place(trace::Handle row, trace::Handle column, detail::Where where) {
    using namespace detail;
    const u64 in_row = Layout::column(u64::from_handle(row, where), u64::from_handle(column, where), Columns);
    const trace::Handle first = emit(ir::Opcode::mul, ir::Type::u64, row, constant(ir::Type::u64, pitch, where), 0, where);
    return emit(ir::Opcode::add, ir::Type::u64, first, in_row.handle(), 0, where);
  }

 private:
  Ref<T> at(trace::Handle row, trace::Handle column, detail::Where where) const {
    return Ref<T>(this->memory(), place(row, column, where), where);
  }
};

// How many elements of a DynamicShared there are for each thread of the block.
struct PerThread {
  std::uint64_t elements;
};
constexpr PerThread per_thread(std::uint64_t elements) { return {elements}; }

// A shared array whose size each launch decides: so many elements for each thread of the block, or as the launch's list `shared` says,
// whose sizes belong to the arrays in the order of their declaration. A kernel may have several.
// Example: ox::DynamicShared<float> tile(ox::per_thread(2));
// Example: ox::DynamicShared<float> tile;   with   LaunchConfig{.grid = 8, .block = 64, .shared = {1024}}
template <class T>
class DynamicShared : public detail::SharedArray<T> {
 public:
  explicit DynamicShared(detail::Where where = detail::Where::current()) : detail::SharedArray<T>(0, true, where) {}
  // For oxide's own headers: the array of a caller.
  explicit DynamicShared(detail::BorrowedArray array) : detail::SharedArray<T>(array) {}
  explicit DynamicShared(PerThread size, detail::Where where = detail::Where::current())
      : detail::SharedArray<T>(size.elements, true, where) {
    if (size.elements == 0 || size.elements > DynamicShared::largest)
      detail::refuse(where, "a DynamicShared has at least one element for each thread, and at most 1 MiB of them");
  }

  // The number of elements in this launch.
  u64 size(detail::Where where = detail::Where::current()) const {
    return u64::from_handle(detail::emit(ir::Opcode::length, ir::Type::u64, this->memory(), where), where);
  }
  // Reads or writes, after a check of i against size().
  Ref<T> operator[](detail::Index i) const { return this->element(i); }
  // Reads or writes without a check: i must be below size().
  Ref<T> unchecked(detail::Index i) const { return Ref<T>(this->memory(), i.handle, i.where); }
};

}  // namespace oxide
