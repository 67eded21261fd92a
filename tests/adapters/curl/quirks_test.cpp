#include <gtest/gtest.h>

#include "adapters/curl/wire.hpp"

namespace ctxmgr::wire {
namespace {

http::ServiceError error_about(std::string param, std::string message = "") {
  return {"invalid_request_error", "", std::move(param), std::move(message)};
}

TEST(QuirksTest, ReasoningModelsTakeNoTemperature) {
  for (const char* model : {"o1-mini", "o3", "o4-mini", "gpt-5-nano", "openai/gpt-5"}) {
    EXPECT_FALSE(initial_quirks(model, "").takes_temperature) << model;
  }
  for (const char* model : {"gpt-4o-mini", "claude-opus", "omni", "llama-3"}) {
    EXPECT_TRUE(initial_quirks(model, "").takes_temperature) << model;
  }
}

TEST(QuirksTest, OpenaiHasItsOwnNameForTheOutputLimit) {
  EXPECT_TRUE(initial_quirks("m", "api.openai.com").max_completion_tokens);
  EXPECT_TRUE(initial_quirks("m", "x.openai.azure.com").max_completion_tokens);
  EXPECT_FALSE(initial_quirks("m", "127.0.0.1").max_completion_tokens);
  EXPECT_FALSE(initial_quirks("m", "api.openai.com.evil.example").max_completion_tokens);
}

TEST(QuirksTest, AServiceThatRefusesAFieldIsAskedWithoutIt) {
  EXPECT_FALSE(adapted_quirks({}, error_about("temperature"), false, true)->takes_temperature);
  EXPECT_FALSE(adapted_quirks({}, error_about("", "unknown field stream_options"), false, true)->stream_options);
  EXPECT_TRUE(adapted_quirks({}, error_about("max_tokens", "use 'max_completion_tokens' instead"), false, true)
                  ->max_completion_tokens);
}

TEST(QuirksTest, StructuredOutputStepsDown) {
  const auto about_schema = error_about("response_format", "");
  auto quirks = adapted_quirks({}, about_schema, true, true);
  EXPECT_EQ(quirks->structured_output, StructuredOutput::json_object);
  quirks = adapted_quirks(*quirks, about_schema, true, true);
  EXPECT_EQ(quirks->structured_output, StructuredOutput::prompt);
  EXPECT_FALSE(adapted_quirks(*quirks, about_schema, true, true));
  EXPECT_EQ(adapted_quirks({}, about_schema, true, false)->structured_output, StructuredOutput::prompt);
}

TEST(QuirksTest, OtherErrorsChangeNothing) {
  EXPECT_FALSE(adapted_quirks({}, error_about("messages"), true, true));
  EXPECT_FALSE(adapted_quirks({}, error_about("response_format"), false, true));
  EXPECT_FALSE(adapted_quirks({}, {}, true, true));
}

}  // namespace
}  // namespace ctxmgr::wire
