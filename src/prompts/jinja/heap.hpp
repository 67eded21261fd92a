#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ctxmgr::jinja {

enum class Tag : std::uint8_t;
class Heap;

struct Object {
  explicit Object(Tag which) : tag(which) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  Heap* heap = nullptr;  ///< Null: part of a compiled template, which threads share.
  Object* made_before = nullptr;
  Tag tag;
};

/// The values of one rendering, and what it may use: bytes and steps. Nothing is freed before the end and everything then, one by
/// one, so that neither cycles nor nesting matter.
/// Thread-safety: used by one thread.
class Heap {
 public:
  Heap(std::size_t max_bytes, std::size_t max_steps) : bytes_left_(max_bytes), steps_left_(max_steps) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap();

  template <class T, class... Arguments>
  [[nodiscard]] T* make(Arguments&&... arguments) {
    static_assert(sizeof(T) <= chunk_bytes);
    charge(sizeof(T));
    T* object = new (allocate(sizeof(T))) T(std::forward<Arguments>(arguments)...);
    object->heap = this;
    object->made_before = std::exchange(last_, object);
    return object;
  }

  void charge(std::size_t bytes);
  /// Refuses early what is going to need that much.
  void check_room(std::size_t bytes) const;
  void step(std::size_t count = 1) {
    if (count > steps_left_) out_of_steps();
    steps_left_ -= count;
  }
  /// Steps for work on text: one for each 64 bytes.
  void step_text(std::size_t bytes) { step(1 + bytes / 64); }

 private:
  friend class Nesting;
  [[noreturn]] static void out_of_steps();
  /// Aligned for any object; freed with the heap.
  void* allocate(std::size_t bytes);

  static constexpr std::size_t chunk_bytes = 4096;
  std::size_t bytes_left_;
  std::size_t steps_left_;
  Object* last_ = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> chunks_{};
  std::size_t chunk_used_ = chunk_bytes;
  int nesting_ = 0;
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
