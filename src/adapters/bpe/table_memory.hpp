#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace ctxmgr::bpe {

/// One block for tables that are read here and there, in large pages where the system has them: fewer pages to find, and
/// to get from the system. What it has given away it takes back only as a whole.
/// Thread-safety: none.
class TableMemory {
 public:
  /// As many large pages as are filled by so many bytes, maybe none.
  explicit TableMemory(std::size_t bytes);
  ~TableMemory() { ::operator delete (block_, std::align_val_t{page}); }
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// At the start of a cache line; null where there is no room left.
  void* take(std::size_t bytes) {
    const std::size_t start = (used_ + line - 1) / line * line;
    if (start > size_ || bytes > size_ - start) return nullptr;
    used_ = start + bytes;
    return block_ + start;
  }

  bool has(const void* address) const {
    const auto* const byte = static_cast<const std::byte*>(address);
    return !std::less<>()(byte, block_) && std::less<>()(byte, block_ + size_);
  }

  static constexpr std::size_t page = std::size_t{1} << 21U;
  static constexpr std::size_t line = 64;

 private:
  std::size_t size_;
  std::size_t used_ = 0;
  std::byte* block_;
};

/// Takes from a `TableMemory`, else from the heap.
template <class T>
struct TableAllocator {
  // What the standard asks for is not in this library's style.
  using value_type = T;                                           // NOLINT(readability-identifier-naming)
  using propagate_on_container_move_assignment = std::true_type;  // NOLINT(readability-identifier-naming)

  TableAllocator() = default;
  TableAllocator(std::shared_ptr<TableMemory> from) : memory(std::move(from)) {}
  template <class U>
  TableAllocator(const TableAllocator<U>& other) : memory(other.memory) {}

  T* allocate(std::size_t count) {
    void* const taken = memory ? memory->take(count * sizeof(T)) : nullptr;
    if (taken != nullptr) return static_cast<T*>(taken);
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{TableMemory::line}));
  }
  void deallocate(T* address, std::size_t) {
    if (!memory || !memory->has(address)) ::operator delete (address, std::align_val_t{TableMemory::line});
  }
  template <class U>
  bool operator==(const TableAllocator<U>& other) const {
    return memory == other.memory;
  }

  std::shared_ptr<TableMemory> memory;
};

template <class T>
using Table = std::vector<T, TableAllocator<T>>;

}  // namespace ctxmgr::bpe
