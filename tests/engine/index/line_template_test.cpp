#include "engine/index/line_template.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(LineTemplateTest, LinesThatDifferInNumbersIdsAndAddressesHaveOneTemplate) {
  EXPECT_EQ(template_of("2024-01-01 10:00:00 INFO request 17 from 10.0.0.1:8080 took 3ms"),
            template_of("2024-02-11T23:59:01.123Z INFO request 4 from 192.168.1.254:80 took 1200ms"));
  EXPECT_EQ(template_of("user=a7f3 job <0x7ffe12>"), template_of("user=99 job <0x1>"));
  EXPECT_NE(template_of("INFO request served"), template_of("INFO request dropped"));
}

}  // namespace
}  // namespace ctxmgr::engine
