#include "ctxmgr/core/json_text.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

template <class Value>
class JsonTextTest : public ::testing::Test {};

using Types =
    ::testing::Types<Artifact, ArtifactPlan, ArtifactUsageRecord, ContextUtilizationMetadata, ResponseMetadata,
                     ConversationMessage, ReasoningStepRecord, ReasoningEvent, RequestAttachment, ToolDefinition>;
TYPED_TEST_SUITE(JsonTextTest, Types);

TYPED_TEST(JsonTextTest, ADefaultValueComesBackTheSame) {
  const std::string text = to_json(TypeParam{});
  EXPECT_EQ(to_json(from_json<TypeParam>(text).value()), text);
  EXPECT_EQ(to_json(from_json<std::vector<TypeParam>>("[" + text + "]").value()), "[" + text + "]");
}

TYPED_TEST(JsonTextTest, EveryPrefixAndEveryWrongShapeIsATypedError) {
  const std::string text = to_json(std::vector<TypeParam>(2));
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto parsed = from_json<std::vector<TypeParam>>(text.substr(0, cut));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  }
  for (const char* wrong : {"null", "true", "7", "\"x\"", "[]", "[[]]", "", "\xFF", "{\"a\":1,\"a\":2}"}) {
    EXPECT_FALSE(from_json<TypeParam>(wrong)) << wrong;
  }
}

TYPED_TEST(JsonTextTest, ReplacingAnyValueByAnotherTypeNeverBreaksTheReader) {
  const std::string text = to_json(TypeParam{});
  for (const char* odd :
       {"null", "-1", "1e300", "123456789012345678901234567890", "\"\"", "[]", "{}", "true", "[null]"}) {
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
      const std::size_t end = text.find_first_of(",}", colon);
      const auto parsed = from_json<TypeParam>(text.substr(0, colon + 1) + odd + text.substr(end));
      EXPECT_TRUE(!parsed || from_json<TypeParam>(to_json(*parsed)));
    }
  }
}

}  // namespace
}  // namespace ctxmgr
