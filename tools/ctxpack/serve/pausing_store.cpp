#include "serve/pausing_store.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace ctxpack::serve {
namespace {

using ctxmgr::CallOptions;
using ctxmgr::ErrorCode;
using ctxmgr::Result;

class PausingStore final : public ctxmgr::KeyValueStore {
 public:
  PausingStore(std::shared_ptr<KeyValueStore> store, std::chrono::milliseconds pause,
               std::function<std::chrono::steady_clock::time_point()> now)
      : store_(std::move(store)), pause_(pause), now_(std::move(now)) {}

  Result<std::vector<std::optional<ctxmgr::StoredValue>>> read(std::string_view name_space,
                                                               const std::vector<std::string>& keys,
                                                               const CallOptions& call) override {
    return tried([&] { return store_->read(name_space, keys, call); });
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<ctxmgr::KeyValueWrite>& changes,
                              const CallOptions& call) override {
    return tried([&] { return store_->write(name_space, changes, call); });
  }
  Result<std::vector<ctxmgr::KeyInfo>> list(std::string_view name_space, std::string_view prefix,
                                            std::string_view after_key, std::size_t limit,
                                            const CallOptions& call) override {
    return tried([&] { return store_->list(name_space, prefix, after_key, limit, call); });
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return tried([&] { return store_->erase_namespace(name_space, call); });
  }

 private:
  template <class Call>
  std::invoke_result_t<Call> tried(const Call& call) {
    {
      const std::lock_guard lock(mutex_);
      const auto now = now_();
      if (has_failed_ && now < tries_again_)
        return ctxmgr::fail(ErrorCode::unavailable, "the store has just failed; it is asked again in a while");
      tries_again_ = now + pause_;  // The others do not wait for this one.
    }
    auto result = call();
    const bool failed = !result && (result.error().code == ErrorCode::unavailable ||
                                    result.error().code == ErrorCode::deadline_exceeded);
    const std::lock_guard lock(mutex_);
    has_failed_ = failed;
    if (failed) tries_again_ = now_() + pause_;
    return result;
  }

  const std::shared_ptr<KeyValueStore> store_;
  const std::chrono::milliseconds pause_;
  const std::function<std::chrono::steady_clock::time_point()> now_;
  std::mutex mutex_;
  bool has_failed_ = false;
  std::chrono::steady_clock::time_point tries_again_{};
};

/// Of the port itself. What is over them is the fault of whoever writes it.
bool is_within_limits(const std::vector<ctxmgr::KeyValueWrite>& changes) {
  return std::all_of(changes.begin(), changes.end(), [](const auto& change) {
    const auto value_bytes = change.value ? change.value->size() : 0;
    return change.key.size() <= ctxmgr::max_key_bytes && value_bytes <= ctxmgr::max_value_bytes;
  });
}

class ExpiringStore final : public ctxmgr::KeyValueStore {
 public:
  ExpiringStore(std::shared_ptr<KeyValueStore> store, std::chrono::milliseconds ttl)
      : store_(std::move(store)), ttl_(ttl) {}

  Result<std::vector<std::optional<ctxmgr::StoredValue>>> read(std::string_view name_space,
                                                               const std::vector<std::string>& keys,
                                                               const CallOptions& call) override {
    return store_->read(name_space, keys, call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<ctxmgr::KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (name_space == secrets_name_space) return store_->write(name_space, changes, call);
    auto bounded = changes;
    for (auto& change : bounded) {
      if (change.value && !change.ttl) change.ttl = ttl_;
    }
    auto written = store_->write(name_space, bounded, call);
    const bool is_full = !written && written.error().code == ErrorCode::limit_exceeded && is_within_limits(bounded);
    if (is_full) return ctxmgr::fail(ErrorCode::unavailable, "the store has no room left");
    return written;
  }
  Result<std::vector<ctxmgr::KeyInfo>> list(std::string_view name_space, std::string_view prefix,
                                            std::string_view after_key, std::size_t limit,
                                            const CallOptions& call) override {
    return store_->list(name_space, prefix, after_key, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return store_->erase_namespace(name_space, call);
  }

 private:
  const std::shared_ptr<KeyValueStore> store_;
  const std::chrono::milliseconds ttl_;
};

}  // namespace

std::shared_ptr<ctxmgr::KeyValueStore> expiring(std::shared_ptr<ctxmgr::KeyValueStore> store,
                                                std::chrono::milliseconds ttl) {
  return std::make_shared<ExpiringStore>(std::move(store), ttl);
}

std::shared_ptr<ctxmgr::KeyValueStore> pausing(std::shared_ptr<ctxmgr::KeyValueStore> store,
                                               std::chrono::milliseconds pause,
                                               std::function<std::chrono::steady_clock::time_point()> now) {
  return std::make_shared<PausingStore>(std::move(store), pause, std::move(now));
}

}  // namespace ctxpack::serve
