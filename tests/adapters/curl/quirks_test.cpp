#include <gtest/gtest.h>

#include "adapters/curl/wire.hpp"

namespace ctxmgr::wire {
namespace {

http::ServiceError error_about(std::string param, std::string message = "") {
  return {"invalid_request_error", "", std::move(param), std::move(message)};
}

TEST(QuirksTest, ReasoningModelsTakeNoTemperature) {
  for (const char* model : {"o1-mini", "o3", "o4-mini", "gpt-5-nano", "openai/gpt-5"}) {
    EXPECT_FALSE(initial_quirks(openai_chat, model, "").takes_temperature) << model;
  }
  for (const char* model : {"gpt-4o-mini", "claude-opus", "omni", "llama-3"}) {
    EXPECT_TRUE(initial_quirks(openai_chat, model, "").takes_temperature) << model;
  }
}

TEST(QuirksTest, OpenaiHasItsOwnNameForTheOutputLimit) {
  EXPECT_TRUE(initial_quirks(openai_chat, "m", "api.openai.com").max_completion_tokens);
  EXPECT_TRUE(initial_quirks(openai_chat, "m", "x.openai.azure.com").max_completion_tokens);
  EXPECT_FALSE(initial_quirks(openai_chat, "m", "127.0.0.1").max_completion_tokens);
  EXPECT_FALSE(initial_quirks(openai_chat, "m", "api.openai.com.evil.example").max_completion_tokens);
}

TEST(QuirksTest, AnthropicsCompatibleEndpointGetsItsSchemasInWords) {
  EXPECT_EQ(initial_quirks(openai_chat, "claude", "api.anthropic.com").structured_output, StructuredOutput::prompt);
  EXPECT_EQ(initial_quirks(anthropic_messages, "claude", "api.anthropic.com").structured_output,
            StructuredOutput::json_schema);
}

TEST(QuirksTest, AServiceThatRefusesAFieldIsAskedWithoutIt) {
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("temperature"), false)->takes_temperature);
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("", "unknown field stream_options"), false)->stream_options);
  EXPECT_TRUE(adapted_quirks(openai_chat, {}, error_about("max_tokens", "use 'max_completion_tokens' instead"), false)
                  ->max_completion_tokens);
}

TEST(QuirksTest, AValueOutOfRangeIsTheCallersToMend) {
  for (const char* message :
       {"invalid 'temperature': decimal above maximum value. expected a value <= 2, but got 3 instead.",
        "temperature: range: 0..1", "temperature: input should be less than or equal to 1",
        "temperature must be non-negative, got -1.0"}) {
    EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("temperature", message), false)) << message;
  }
  EXPECT_TRUE(adapted_quirks(openai_chat, {},
                             error_about("temperature",
                                         "unsupported value: 'temperature' does not support 0.2 with this "
                                         "model. only the default (1) value is supported."),
                             false));
  Quirks newer;
  newer.max_completion_tokens = true;
  EXPECT_FALSE(adapted_quirks(
      openai_chat, newer, error_about("max_completion_tokens", "max_completion_tokens is too large: 1000000"), false));
}

TEST(QuirksTest, StructuredOutputStepsDown) {
  const auto about_tools = error_about("tools[0].function.parameters", "invalid schema for function 'f'");
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, about_tools, true)) << "would be sent three times";
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("", "tools.0: invalid json schema"), true));
  EXPECT_TRUE(adapted_quirks(openai_chat, {}, error_about("", "this model takes no response_format"), true));
  const auto about_schema = error_about("response_format", "");
  auto quirks = adapted_quirks(openai_chat, {}, about_schema, true);
  EXPECT_EQ(quirks->structured_output, StructuredOutput::json_object);
  quirks = adapted_quirks(openai_chat, *quirks, about_schema, true);
  EXPECT_EQ(quirks->structured_output, StructuredOutput::prompt);
  EXPECT_FALSE(adapted_quirks(openai_chat, *quirks, about_schema, true));
  EXPECT_EQ(adapted_quirks(anthropic_messages, {}, about_schema, true)->structured_output, StructuredOutput::prompt);
}

TEST(QuirksTest, OtherErrorsChangeNothing) {
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("messages"), true));
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, error_about("response_format"), false));
  EXPECT_FALSE(adapted_quirks(openai_chat, {}, {}, true));
}

}  // namespace
}  // namespace ctxmgr::wire
