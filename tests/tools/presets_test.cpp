#include "presets.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace ctxpack::test {
namespace {

const BaseUrls urls{"http://127.0.0.1:1", "http://127.0.0.1:2/v1"};

Environment environment_of(const std::map<std::string, std::string>& values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

std::string value_of(const Preset& preset, const std::string& name) {
  for (const auto& [variable, value] : preset.variables) {
    if (variable == name) return value;
  }
  return "not set";
}

TEST(PresetsTest, ClaudeCodeIsToldItsAddressAndThatItMaySearchTools) {
  const auto nothing = environment_of({});
  const auto preset = preset_of("/usr/local/bin/claude", urls, nothing);
  EXPECT_TRUE(preset.is_known);
  EXPECT_FALSE(preset.uses_openai);
  EXPECT_EQ(value_of(preset, "ANTHROPIC_BASE_URL"), "http://127.0.0.1:1");
  EXPECT_EQ(value_of(preset, "ENABLE_TOOL_SEARCH"), "true");
  EXPECT_EQ(value_of(preset, "OPENAI_BASE_URL"), "not set");
  const auto chosen = environment_of({{"ENABLE_TOOL_SEARCH", "false"}});
  EXPECT_EQ(value_of(preset_of("claude", urls, chosen), "ENABLE_TOOL_SEARCH"), "not set") << "the user's choice stays";
}

TEST(PresetsTest, CodexAndQwenAreToldByTheirArguments) {
  const auto nothing = environment_of({});
  const auto codex = preset_of("codex", urls, nothing);
  EXPECT_FALSE(codex.uses_anthropic);
  ASSERT_EQ(codex.arguments.size(), 4U);
  EXPECT_NE(codex.arguments[3].find("base_url=\"http://127.0.0.1:2/v1\""), std::string::npos);
  const auto qwen = preset_of("qwen", urls, nothing);
  EXPECT_EQ(qwen.arguments, (std::vector<std::string>{"--openai-base-url", "http://127.0.0.1:2/v1"}));
}

TEST(PresetsTest, WhatOpencodeIsConfiguredWithStays) {
  const auto configured = environment_of({{"OPENCODE_CONFIG_CONTENT", R"({"model":"openai/gpt-5"})"}});
  for (const auto& environment : {configured, environment_of({{"OPENCODE_CONFIG_CONTENT", "no JSON"}})}) {
    const auto config =
        nlohmann::json::parse(value_of(preset_of("opencode", urls, environment), "OPENCODE_CONFIG_CONTENT"));
    EXPECT_EQ(config["provider"]["openai"]["options"]["baseURL"], "http://127.0.0.1:2/v1");
    EXPECT_EQ(config["provider"]["anthropic"]["options"]["baseURL"], "http://127.0.0.1:1/v1");
  }
  const auto config =
      nlohmann::json::parse(value_of(preset_of("opencode", urls, configured), "OPENCODE_CONFIG_CONTENT"));
  EXPECT_EQ(config["model"], "openai/gpt-5");
}

TEST(PresetsTest, AProgramThatNobodyKnowsGetsAllVariables) {
  const auto preset = preset_of("./my-agent", urls, environment_of({}));
  EXPECT_FALSE(preset.is_known);
  EXPECT_TRUE(preset.arguments.empty());
  for (const char* name : {"ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"})
    EXPECT_EQ(value_of(preset, name), "http://127.0.0.1:1") << name;
  for (const char* name : {"OPENAI_BASE_URL", "OPENAI_API_BASE"})
    EXPECT_EQ(value_of(preset, name), "http://127.0.0.1:2/v1") << name;
}

TEST(PresetsTest, TheServiceIsTheOneThatTheUserHas) {
  EXPECT_EQ(upstreams_in(environment_of({})).anthropic, "https://api.anthropic.com");
  EXPECT_EQ(upstreams_in(environment_of({{"OPENAI_API_BASE", "http://own/v1"}})).openai, "http://own/v1");
  const auto both = environment_of({{"OPENAI_BASE_URL", "http://a/v1"}, {"OPENAI_API_BASE", "http://b/v1"}});
  EXPECT_EQ(upstreams_in(both).openai, "http://a/v1");
  EXPECT_EQ(upstreams_in(environment_of({{"ANTHROPIC_BASE_URL", "http://c"}})).anthropic, "http://c");
}

}  // namespace
}  // namespace ctxpack::test
