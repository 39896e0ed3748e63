// The arrays that a thread of the interpreter makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::testing {

// Addresses are those of the host; every access is tried against the arrays there are.
class LocalArrays {
 public:
  void clear() { arrays_.clear(); }

  std::uint64_t make(const ir::ArrayShape& shape) {
    const std::size_t bytes = std::size_t{shape.size} * shape.count;
    arrays_.push_back({std::make_unique<std::byte[]>(bytes), bytes});
    return reinterpret_cast<std::uintptr_t>(arrays_.back().bytes.get());
  }
  void* at(std::uint64_t address, std::uint64_t index, const ir::AddressAccess& access, std::size_t bytes) const {
    return find(address, index * access.size + access.offset, bytes);
  }
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) const { std::memcpy(find(to, 0, bytes), find(from, 0, bytes), bytes); }

 private:
  struct Array {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  void* find(std::uint64_t address, std::uint64_t offset, std::size_t bytes) const {
    for (const Array& a : arrays_)
      if (reinterpret_cast<std::uintptr_t>(a.bytes.get()) == address && offset <= a.size && bytes <= a.size - offset)
        return a.bytes.get() + offset;
    throw std::runtime_error("an access outside of every array, at byte " + std::to_string(offset));
  }

  std::vector<Array> arrays_;
};

}  // namespace oxide::testing
