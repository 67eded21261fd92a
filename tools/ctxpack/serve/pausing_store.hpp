#pragma once
#include <chrono>
#include <functional>
#include <memory>

#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxpack::serve {

/// The store, and after one of its calls has failed as if nobody were there, a while in which every call fails at once: a store
/// that hangs costs one time limit, and not one of each request. Then one call tries again, and the others do not wait for it.
[[nodiscard]] std::shared_ptr<ctxmgr::KeyValueStore> pausing(
    std::shared_ptr<ctxmgr::KeyValueStore> store, std::chrono::milliseconds pause,
    std::function<std::chrono::steady_clock::time_point()> now = &std::chrono::steady_clock::now);

/// The store, and what is written without a time to live gets this one: sessions and attachments of users who do not come back.
/// Not the namespace of secrets. A store that is full is `unavailable`: no request is too large for it.
[[nodiscard]] std::shared_ptr<ctxmgr::KeyValueStore> expiring(std::shared_ptr<ctxmgr::KeyValueStore> store,
                                                              std::chrono::milliseconds ttl);

inline constexpr const char* secrets_name_space = "ctxpack.secrets";

}  // namespace ctxpack::serve
