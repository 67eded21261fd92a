// A host with another configuration of nlohmann than the library's own copy.
#define JSON_DIAGNOSTICS 1
#include <gtest/gtest.h>

#include "ctxmgr/json.hpp"

namespace ctxmgr {
namespace {

template <class Json>
class NlohmannTest : public ::testing::Test {};

using Kinds = ::testing::Types<nlohmann::json, nlohmann::ordered_json>;
TYPED_TEST_SUITE(NlohmannTest, Kinds);

TYPED_TEST(NlohmannTest, MessagesOfAHostComeAndGo) {
  TypeParam body;
  body["messages"] = TypeParam::parse(R"([{"role":"user","content":"hi","x":[1,{"y":null}]}])");
  const auto messages = from_json<std::vector<ConversationMessage>>(body["messages"]);
  ASSERT_TRUE(messages);
  EXPECT_EQ(as_openai<TypeParam>(*messages), body["messages"]);
}

TYPED_TEST(NlohmannTest, ValuesBecomeJsonAndBack) {
  const auto json = as_json<TypeParam>(ArtifactPlan{{{"a"}}, "why"});
  EXPECT_EQ(json["artifacts"][0]["artifact_id"], "a");
  EXPECT_EQ(from_json<ArtifactPlan>(json)->reasoning, "why");
}

TYPED_TEST(NlohmannTest, ErrorsAreValuesAndInvalidBytesAreReplaced) {
  EXPECT_EQ(from_json<ArtifactPlan>(TypeParam(7)).error().code, ErrorCode::invalid_argument);
  TypeParam message;
  message["role"] = "user";
  message["content"] = "a\xFF";
  EXPECT_EQ(text_of(from_json<ConversationMessage>(message).value()), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace ctxmgr
