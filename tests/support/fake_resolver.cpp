#include "support/fake_resolver.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

namespace ctxmgr::test {
namespace {

std::mutex mutex;
std::condition_variable changed;
FakeResolver::Answer current;
int under_way = 0;

constexpr std::string_view suffix = ".test";

bool is_fake(std::string_view name) {
  return name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

std::string look_up(const std::string& name) {
  std::unique_lock lock(mutex);
  if (!current) return {};
  const auto answer = current;
  ++under_way;
  lock.unlock();
  auto address = answer(name);
  lock.lock();
  --under_way;
  changed.notify_all();
  return address;
}

}  // namespace

FakeResolver::FakeResolver(Answer answer) {
  const std::lock_guard lock(mutex);
  current = std::move(answer);
}

FakeResolver::~FakeResolver() {
  std::unique_lock lock(mutex);
  current = nullptr;
  changed.wait(lock, [] { return under_way == 0; });
}

}  // namespace ctxmgr::test

// Stands before the C library's, for libcurl too.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node, const char* service,
                                                                  const addrinfo* hints, addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node == nullptr || !ctxmgr::test::is_fake(node)) return real(node, service, hints, result);
  const auto address = ctxmgr::test::look_up(node);
  return address.empty() ? EAI_NONAME : real(address.c_str(), service, hints, result);
}
