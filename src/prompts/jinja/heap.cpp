#include "prompts/jinja/heap.hpp"

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {

Heap::~Heap() {
  while (last_ != nullptr) std::exchange(last_, last_->made_before)->~Object();
}

void* Heap::allocate(std::size_t bytes) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > chunk_bytes - chunk_used_) {
    chunks_.push_back(std::make_unique<std::byte[]>(chunk_bytes));
    chunk_used_ = 0;
  }
  return chunks_.back().get() + std::exchange(chunk_used_, chunk_used_ + bytes);
}

void Heap::check_room(std::size_t bytes) const {
  if (bytes > bytes_left_) exceed("the values of the template need too much memory");
}

void Heap::charge(std::size_t bytes) {
  check_room(bytes);
  bytes_left_ -= bytes;
}

void Heap::out_of_steps() { exceed("the template takes too many steps"); }

void Nesting::too_deep() {
  --heap_.nesting_;
  exceed("values are nested too deeply");
}

}  // namespace ctxmgr::jinja
