#include "adapters/bpe/table_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ctxmgr::bpe {

TableMemory::TableMemory(std::size_t bytes)
    : size_(bytes / page * page),
      block_(size_ == 0 ? nullptr : static_cast<std::byte*>(::operator new (size_, std::align_val_t{page}))) {
#if defined(__linux__)
  if (size_ != 0) static_cast<void>(madvise(block_, size_, MADV_HUGEPAGE));  // small ones do, too
#endif
}

}  // namespace ctxmgr::bpe
