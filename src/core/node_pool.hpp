#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace ctxmgr {

/// Memory for containers of many small nodes: taken in blocks, used again node by node, and given back as a whole. Not every
/// standard library has <memory_resource>. For one thread; outlives its containers.
class NodePool {
 public:
  NodePool() = default;
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;

  [[nodiscard]] void* take(std::size_t bytes) {
    const auto kind = kind_of(bytes);
    if (kind >= free_.size()) return ::operator new(bytes);
    if (Node* const node = free_[kind]) {
      free_[kind] = node->next;
      return node;
    }
    const auto size = (kind + 1) * unit;
    if (left_ < size) add_block();
    left_ -= size;
    return blocks_.back().get() + left_;
  }

  void give(void* place, std::size_t bytes) {
    const auto kind = kind_of(bytes);
    if (kind >= free_.size()) return ::operator delete(place);
    free_[kind] = new (place) Node{free_[kind]};
  }

 private:
  struct Node {
    Node* next;
  };
  static constexpr std::size_t unit = alignof(std::max_align_t);
  static constexpr std::size_t block_bytes = std::size_t{16} << 10;

  static std::size_t kind_of(std::size_t bytes) { return bytes == 0 ? 0 : (bytes - 1) / unit; }

  void add_block() {
    blocks_.push_back(std::make_unique<std::byte[]>(block_bytes));
    left_ = block_bytes;
  }

  std::array<Node*, 8> free_{};  ///< Nodes that were given back, by size.
  std::vector<std::unique_ptr<std::byte[]>> blocks_{};
  std::size_t left_ = 0;  ///< Bytes of the last block that nobody has had.
};

/// For a standard container. \pre The pool outlives it.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;                           // NOLINT(readability-identifier-naming): the standard's name.
  PoolAllocator(NodePool* pool) : pool_(pool) {}  // NOLINT(google-explicit-constructor): as a polymorphic one.
  template <class Other>
  PoolAllocator(const PoolAllocator<Other>& other) : pool_(other.pool()) {}  // NOLINT(google-explicit-constructor)

  // A container of pointers asks for as many bytes as they take.
  // NOLINTBEGIN(bugprone-sizeof-expression)
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(pool_->take(count * sizeof(T))); }
  void deallocate(T* place, std::size_t count) { pool_->give(place, count * sizeof(T)); }
  // NOLINTEND(bugprone-sizeof-expression)
  [[nodiscard]] NodePool* pool() const { return pool_; }
  friend bool operator==(const PoolAllocator& a, const PoolAllocator& b) { return a.pool_ == b.pool_; }

 private:
  NodePool* pool_;
};

}  // namespace ctxmgr
