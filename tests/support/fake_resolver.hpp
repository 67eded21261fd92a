#pragma once
#include <functional>
#include <string>

namespace ctxmgr::test {

/// While it lives, host names that end in ".test" are looked up here instead of at a name server. The answer is a
/// numeric address, or empty: there is none. One at a time in a process; it is called by libcurl's threads.
class FakeResolver {
 public:
  using Answer = std::function<std::string(const std::string& name)>;

  explicit FakeResolver(Answer answer);
  FakeResolver(const FakeResolver&) = delete;
  FakeResolver& operator=(const FakeResolver&) = delete;

  /// Waits until no lookup is under way.
  ~FakeResolver();
};

}  // namespace ctxmgr::test
