#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace ctxmgr::testing {

/// What a test needs from outside: the URL of a server, a directory of data. nullopt where it is not set.
inline std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody in a test changes it
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace ctxmgr::testing

/// In a test or in SetUp: defines `variable`, a std::string, or skips the test and says what is missing.
///
///     CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
#define CTXMGR_ENVIRONMENT_OR_SKIP(variable, name)                                           \
  if (!::ctxmgr::testing::environment(name)) GTEST_SKIP() << "skipped: " name " is not set"; \
  const std::string variable = *::ctxmgr::testing::environment(name)
