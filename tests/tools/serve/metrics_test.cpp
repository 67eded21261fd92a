#include "serve/metrics.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(MetricsTest, BucketsAreAddedUpAndEveryNameIsDescribed) {
  Totals totals;
  totals.requests[{Api::anthropic, 429}] = 3;
  totals.durations[0] = 2;
  totals.durations[2] = 1;
  totals.answers = 4;
  totals.seconds = 1.5;
  const auto text = prometheus_text(totals);
  const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
  EXPECT_TRUE(has("ctxmgr_requests_total{api=\"anthropic\",status=\"429\"} 3"));
  EXPECT_TRUE(has("ctxmgr_request_duration_seconds_bucket{le=\"0.1\"} 2"));
  EXPECT_TRUE(has("ctxmgr_request_duration_seconds_bucket{le=\"1\"} 3"));
  EXPECT_TRUE(has("ctxmgr_request_duration_seconds_bucket{le=\"+Inf\"} 4"));
  EXPECT_TRUE(has("ctxmgr_request_duration_seconds_sum 1.5"));
  EXPECT_TRUE(has("# TYPE ctxmgr_request_duration_seconds histogram"));
  EXPECT_TRUE(has("# TYPE ctxmgr_requests_in_flight gauge"));
}

}  // namespace
}  // namespace ctxpack::serve::test
