#include "prompts/jinja/heap.hpp"

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {

Container::~Container() {
  if (previous != nullptr) previous->next = next;
  if (next != nullptr) next->previous = previous;
  if (heap != nullptr && heap->live_ == this) heap->live_ = next;
}

Heap::~Heap() {
  // A container that empties others may free them: take the first one anew each time, and unlink it before it is emptied.
  while (live_ != nullptr) {
    Container* container = live_;
    live_ = container->next;
    if (live_ != nullptr) live_->previous = nullptr;
    container->next = nullptr;
    ++container->references;
    container->drop();
    if (--container->references == 0) bury(container);
  }
}

void Heap::link(Container& container) {
  container.next = live_;
  if (live_ != nullptr) live_->previous = &container;
  live_ = &container;
}

void Heap::check_room(std::size_t bytes) const {
  if (bytes > bytes_left_) exceed("the values of the template need too much memory");
}

void Heap::charge(Object& object, std::size_t bytes) {
  check_room(bytes);
  bytes_left_ -= bytes;
  object.charged_bytes += bytes;
}

void Heap::out_of_steps() { exceed("the template takes too many steps"); }

void Nesting::too_deep() {
  --heap_.nesting_;
  exceed("values are nested too deeply");
}

void Heap::bury(Object* object) {
  object->next_dead = dead_;
  dead_ = object;
  if (burying_) return;
  burying_ = true;
  while (dead_ != nullptr) {
    Object* next = dead_;
    dead_ = next->next_dead;
    bytes_left_ += next->charged_bytes;
    delete next;
  }
  burying_ = false;
}

}  // namespace ctxmgr::jinja
