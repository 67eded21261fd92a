#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr::testing {

/// Whatever is wrong with calls or the store: no message repeats a namespace, a key or a value. Returns how many calls
/// failed.
inline int expect_errors_quote_nothing(KeyValueStore& store) {
  const std::string canary = "canary-41c7";
  int failed = 0;
  const auto check = [&](const auto& result) {
    if (result) return;
    ++failed;
    EXPECT_EQ(result.error().message.find("canary"), std::string::npos) << result.error().message;
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  };
  const std::string long_name(2'000, 'x');
  const KeyValueWrite set{canary, canary, {}, {}};
  check(store.write(canary, {{canary, canary, {}, 7}}, {}));
  check(store.write(canary, {set, set}, {}));
  check(store.write(canary, {{canary, std::string(max_value_bytes, 'v') + canary, {}, {}}}, {}));
  check(store.write(canary, {{canary + long_name, canary, {}, {}}}, {}));
  check(store.read(canary, {canary + long_name}, {}));
  check(store.list(canary, canary, canary + long_name, 10, {}));
  check(store.erase_namespace(canary + long_name, {}));
  check(store.write(canary, {set}, {}));
  check(store.read(canary, {canary, canary + "2"}, {}));
  check(store.list(canary, canary, {}, 10, {}));
  check(store.erase_namespace(canary, {}));
  return failed;
}

}  // namespace ctxmgr::testing
