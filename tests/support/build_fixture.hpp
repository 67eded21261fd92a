#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr::testing {

/// Text of `count` words that a search for `word` finds, in lines.
inline std::string words(std::size_t count, const std::string& word = "filler") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += word + std::to_string(i % 7) + (i % 12 == 11 ? ".\n" : " ");
  return text;
}

inline ConversationMessage tool_call(const std::string& id, const std::string& tool = "search") {
  ConversationMessage message{Role::assistant};
  message.tool_calls.push_back({id, tool, "{}"});
  return message;
}

inline ConversationMessage tool_result(const std::string& id, const std::string& text) {
  ConversationMessage message{Role::tool, text};
  message.tool_call_id = id;
  return message;
}

inline LlmResponse saying(const std::string& text, std::int64_t prompt_tokens = 0) {
  LlmResponse response;
  response.message = {Role::assistant, text};
  response.usage.prompt_tokens = prompt_tokens;
  response.usage.calls = 1;
  return response;
}

/// One decision of a planner, as it writes it.
inline std::string decision(const std::string& alias, const std::string& strategy, const std::string& query = "",
                            int target_tokens = 0) {
  return R"({"artifact":")" + alias + R"(","strategy":")" + strategy +
         R"(","priority":1,"rationale":"r","focus":"","query":")" + query + R"(","target_tokens":)" +
         std::to_string(target_tokens) + "}";
}

inline std::string planner_reply(const std::string& decisions) {
  return R"({"reasoning":"r","decisions":[)" + decisions + "]}";
}

/// Keeps references, or refuses, or throws.
class SpyArchive final : public ArtifactArchive {
 public:
  enum class Mood { keeps, fails, throws };

  std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                            const CallOptions& call) override {
    ++calls;
    return ArtifactArchive::keep_all(artifacts, call);
  }

  std::string reference_of(const Artifact& artifact) const override {
    return "get_context(\"" + artifact.artifact_id + "\")";
  }

  Result<std::string> keep(const Artifact& artifact, const CallOptions& /*call*/) override {
    if (artifact.artifact_id == refused) return fail(ErrorCode::limit_exceeded, "full");
    if (mood == Mood::throws) throw 42;
    if (mood == Mood::fails) return fail(ErrorCode::unavailable, "full");
    kept.push_back(artifact.artifact_id);
    return reference_of(artifact);
  }

  Mood mood = Mood::keeps;
  std::string refused;  // one id
  int calls = 0;
  std::vector<std::string> kept;
};

inline std::string all_text(const std::vector<ConversationMessage>& messages) {
  std::string text;
  for (const auto& message : messages) text += text_of(message) + "\n";
  return text;
}

/// Text of every message, one entry each: what a provider's prompt cache compares.
inline std::vector<std::string> bytes_of(const std::vector<ConversationMessage>& messages) {
  std::vector<std::string> bytes;
  for (const auto& message : messages) bytes.push_back(to_openai_json({message}));
  return bytes;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A manager that needs nothing, on a clock that stands still, and a scripted model for those who want one.
class BuildTest : public ::testing::Test {
 protected:
  BuildTest() { options_.clock = clock_; }

  void use_client() { options_.client = client_; }
  void say(Role role, const std::string& text) { context_.conversation_history.push_back({role, text}); }
  void add(ConversationMessage message) { context_.conversation_history.push_back(std::move(message)); }
  void attach(const std::string& name, const std::string& text) {
    context_.artifacts.push_back(make_document(name, text));
  }
  Result<BuiltContext> build(std::int64_t budget, const CallOptions& call = {}) {
    request_.budget.max_input_tokens = budget;
    return ContextManager(options_).build(context_, request_, call);
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<ScriptedLlmClient> client_ = std::make_shared<ScriptedLlmClient>();
  ContextManagerOptions options_;
  Context context_;
  BuildRequest request_;
};

}  // namespace ctxmgr::testing
