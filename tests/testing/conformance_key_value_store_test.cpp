#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// Passes everything on to a memory store; tests break one promise at a time.
class Decorator : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    return inner_->read(name_space, keys, call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    return inner_->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    return inner_->list(name_space, prefix, after_key, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return inner_->erase_namespace(name_space, call);
  }

 protected:
  std::unique_ptr<KeyValueStore> inner_ = make_memory_key_value_store();
};

class JoinsNamespaceAndKey final : public Decorator {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    std::vector<std::string> joined;
    for (const auto& key : keys) joined.push_back(std::string(name_space) + ":" + key);
    return inner_->read("", joined, call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    auto joined = changes;
    for (auto& change : joined) change.key = std::string(name_space) + ":" + change.key;
    return inner_->write("", joined, call);
  }
};

class IgnoresExpectedVersions final : public Decorator {
 public:
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    auto blind = changes;
    for (auto& change : blind) change.expected_version.reset();
    return inner_->write(name_space, blind, call);
  }
};

class WritesOneByOne final : public Decorator {
 public:
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    Result<std::uint64_t> last = std::uint64_t{1};
    for (const auto& change : changes) {
      last = inner_->write(name_space, {change}, call);
      if (!last) return last;
    }
    return last;
  }
};

template <class Store>
std::vector<std::string> check() {
  return check_key_value_store([] { return std::make_unique<Store>(); });
}

TEST(KeyValueStoreConformanceTest, FindsNothingWrongWithTheMemoryStore) {
  const auto broken = check_key_value_store([] { return make_memory_key_value_store(); });
  EXPECT_THAT(broken, IsEmpty());
}

TEST(KeyValueStoreConformanceTest, FindsNamespacesThatLeakThroughASeparator) {
  EXPECT_THAT(check<JoinsNamespaceAndKey>(),
              Contains("every namespace and key has a value of its own, bytes unchanged"));
}

TEST(KeyValueStoreConformanceTest, FindsLostUpdates) {
  EXPECT_THAT(check<IgnoresExpectedVersions>(), Contains("an old version conflicts"));
}

TEST(KeyValueStoreConformanceTest, FindsWritesThatAreNotAtomic) {
  EXPECT_THAT(check<WritesOneByOne>(), Contains("a write that conflicts makes none of its changes"));
}

TEST(KeyValueStoreConformanceThreadsTest, PassesWithTheMachinesClock) { EXPECT_THAT(check<Decorator>(), IsEmpty()); }

}  // namespace
}  // namespace ctxmgr::testing
