#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ctxmgr::jinja {

enum class Tag : std::uint8_t;
class Heap;

struct Object {
  explicit Object(Tag which) : tag(which) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  Heap* heap = nullptr;
  Object* next_dead = nullptr;
  std::size_t charged_bytes = 0;
  std::uint32_t references = 1;
  Tag tag;
  bool immortal = false;  ///< Part of a compiled template: shared by threads, so never counted.
};

/// An object that can be part of a reference cycle; the heap knows them all and empties them at its end.
struct Container : Object {
  using Object::Object;
  ~Container() override;
  virtual void drop() = 0;

  Container* previous = nullptr;
  Container* next = nullptr;
};

/// The values of one rendering, and what it may use: bytes that are alive at once, and steps. It frees without
/// recursion, so that no nesting of values can exhaust the stack.
/// Thread-safety: used by one thread.
class Heap {
 public:
  Heap(std::size_t max_bytes, std::size_t max_steps) : bytes_left_(max_bytes), steps_left_(max_steps) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap();

  template <class T, class... Arguments>
  [[nodiscard]] T* make(Arguments&&... arguments) {
    auto object = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    charge(*object, sizeof(T));
    object->heap = this;
    if constexpr (std::is_base_of_v<Container, T>) link(*object);
    return object.release();
  }

  void charge(Object& object, std::size_t bytes);
  /// Refuses early what is going to need that much.
  void check_room(std::size_t bytes) const;
  void step(std::size_t count = 1) {
    if (count > steps_left_) out_of_steps();
    steps_left_ -= count;
  }
  /// Steps for work on text: one for each 64 bytes.
  void step_text(std::size_t bytes) { step(1 + bytes / 64); }
  void bury(Object* object);

 private:
  friend struct Container;
  friend class Nesting;
  void link(Container& container);
  [[noreturn]] static void out_of_steps();

  std::size_t bytes_left_;
  std::size_t steps_left_;
  Container* live_ = nullptr;
  Object* dead_ = nullptr;
  int nesting_ = 0;
  bool burying_ = false;
};

/// Counts a level of recursion through nested values.
class Nesting {
 public:
  explicit Nesting(Heap& heap) : heap_(heap) {
    if (++heap_.nesting_ > max_nesting) too_deep();
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --heap_.nesting_; }

 private:
  static constexpr int max_nesting = 100;
  void too_deep();
  Heap& heap_;
};

}  // namespace ctxmgr::jinja
