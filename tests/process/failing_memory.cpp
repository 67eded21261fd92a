#include "process/failing_memory.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>

// The C library's own, under the names that it keeps for those who replace malloc; operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t size);                     // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);  // NOLINT
void* __libc_realloc(void* pointer, std::size_t size);     // NOLINT
}

namespace ctxmgr::testing {
namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> made{0};
std::atomic<std::size_t> fails_at{never};
std::atomic<bool> fails_on{false};

bool has_memory() {
  const auto number = made.fetch_add(1);
  const auto limit = fails_at.load();
  if (number < limit || (number > limit && !fails_on)) return true;
  errno = ENOMEM;
  return false;
}

}  // namespace

void let_memory_fail(std::size_t successes, Failing how) {
  fails_on = how == Failing::forever;
  fails_at = made + successes;
}

void let_memory_be() { fails_at = never; }

std::size_t allocations() { return made; }

}  // namespace ctxmgr::testing

extern "C" {
void* malloc(std::size_t size) { return ctxmgr::testing::has_memory() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) {
  return ctxmgr::testing::has_memory() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* pointer, std::size_t size) {
  return ctxmgr::testing::has_memory() ? __libc_realloc(pointer, size) : nullptr;
}
}
