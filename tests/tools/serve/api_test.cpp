#include "serve/api.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ctxpack::serve::test {
namespace {

using ctxmgr::ErrorCode;

TEST(ApiTest, ThePathOrTheVersionSaysWhoseFormItIs) {
  EXPECT_EQ(api_of("/v1/messages", false), Api::anthropic);
  EXPECT_EQ(api_of("/v1/messages/count_tokens", false), Api::anthropic);
  EXPECT_EQ(api_of("/v1/models", true), Api::anthropic);
  EXPECT_EQ(api_of("/v1/models", false), Api::openai);
}

TEST(ApiTest, EveryCodeHasAStatusOfAFailure) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    EXPECT_GE(status_of({static_cast<ErrorCode>(code), "", {}}), 400) << code;
  }
}

TEST(ApiTest, HostileWordsAreText) {
  const auto body = nlohmann::json::parse(error_body(Api::openai, {ErrorCode::unavailable, "a\"}\xFF<b>", {}}));
  EXPECT_EQ(body["error"]["message"], "ctxpack: a\"}\xEF\xBF\xBD<b>");
}

}  // namespace
}  // namespace ctxpack::serve::test
