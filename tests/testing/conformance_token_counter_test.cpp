#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Counter final : public TokenCounter {
 public:
  using Count = std::function<std::int64_t(std::string_view)>;
  explicit Counter(Count count) : count_(std::move(count)) {}
  TokenCounterInfo info() const override { return {}; }
  std::int64_t count(std::string_view text) const override { return count_(text); }

 private:
  Count count_;
};

std::vector<std::string> broken_by_count(Counter::Count count) {
  return check_token_counter(Counter(std::move(count)));
}

TEST(ConformanceTokenCounterThreadsTest, FindsNothingWrongWithTheApproximateCounter) {
  EXPECT_THAT(check_token_counter(*make_approximate_token_counter()), IsEmpty());
}

TEST(ConformanceTokenCounterTest, FindsNegativeCounts) {
  EXPECT_THAT(broken_by_count([](std::string_view) -> std::int64_t { return -1; }), Contains("count is negative"));
}

TEST(ConformanceTokenCounterTest, FindsCountsThatChange) {
  std::atomic<std::int64_t> calls = 0;
  EXPECT_THAT(broken_by_count([&](std::string_view) -> std::int64_t { return ++calls; }),
              Contains("the same text has two counts"));
}

TEST(ConformanceTokenCounterTest, FindsTokensInNothing) {
  EXPECT_THAT(broken_by_count([](std::string_view text) { return static_cast<std::int64_t>(text.size()) + 1; }),
              Contains("the empty text has tokens"));
}

TEST(ConformanceTokenCounterTest, FindsAnException) {
  EXPECT_THAT(broken_by_count([](std::string_view) -> std::int64_t { throw std::runtime_error("no"); }),
              Contains(HasSubstr("threw an exception")));
}

}  // namespace
}  // namespace ctxmgr::testing
