// A pointer that shares its object with its copies.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace oxide {

namespace detail {

struct Count {
  long uses = 1;  // changed by atomic operations only
  void (*end)(Count* self);
};
template <class T>
struct CountedObject : Count {
  template <class... A>
  explicit CountedObject(A&&... arguments)
      : Count{1, [](Count* self) { delete static_cast<CountedObject*>(self); }}, object(std::forward<A>(arguments)...) {}
  T object;
};

}  // namespace detail

// The object lives until the last pointer to it goes; made by make_counted. As std::shared_ptr, which costs every file of a user a fifth
// of what <fmt/format.h> does (its header brings the streams); without weak pointers and deleters.
template <class T>
class Counted {
 public:
  using element_type = T;

  Counted() noexcept = default;
  Counted(std::nullptr_t) noexcept {}
  Counted(const Counted& other) noexcept : object_(other.object_), count_(other.count_) { hold(); }
  Counted(Counted&& other) noexcept : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Counted(const Counted<U>& other) noexcept : object_(other.object_), count_(other.count_) {
    hold();
  }
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Counted(Counted<U>&& other) noexcept : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  ~Counted() { drop(); }
  Counted& operator=(Counted other) noexcept {
    std::swap(object_, other.object_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  std::add_lvalue_reference_t<T> operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return *object_;
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { *this = Counted(); }

  friend bool operator==(const Counted& a, const Counted& b) noexcept { return a.object_ == b.object_; }
  friend bool operator==(const Counted& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

  // Of a pointer whose type was forgotten.
  template <class U>
  static Counted cast(const Counted<U>& other) noexcept {
    Counted out;
    out.object_ = static_cast<T*>(other.object_);
    out.count_ = other.count_;
    out.hold();
    return out;
  }

 private:
  template <class>
  friend class Counted;
  template <class U, class... A>
  friend Counted<U> make_counted(A&&... arguments);

  void hold() const noexcept {
    if (count_ != nullptr) __atomic_fetch_add(&count_->uses, 1, __ATOMIC_RELAXED);
  }
  void drop() const noexcept {
    if (count_ != nullptr && __atomic_fetch_sub(&count_->uses, 1, __ATOMIC_ACQ_REL) == 1) count_->end(count_);
  }

  T* object_ = nullptr;
  detail::Count* count_ = nullptr;
};

// Example: auto graph = ox::make_counted<const ox::ir::Graph>(std::move(made));
template <class T, class... A>
Counted<T> make_counted(A&&... arguments) {
  auto* made = new detail::CountedObject<std::remove_const_t<T>>(std::forward<A>(arguments)...);
  Counted<T> out;
  out.object_ = &made->object;
  out.count_ = made;
  return out;
}

}  // namespace oxide
