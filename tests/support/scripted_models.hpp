#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::testing {

/// A planner and a summariser that follow rules, whatever they are asked. Their usage is what this library counts, and no
/// reply is longer than its request allows.
struct ScriptedModels {
  /// What is said of an artifact of the catalogue: JSON decisions by alias, or any other text.
  std::function<std::string(const std::vector<std::string>& aliases)> plan;
  /// A summary of a text.
  std::function<std::string(const std::string& text)> summarize;

  std::vector<LlmRequest> requests{};
  UsageMetadata used{};
  std::mutex mutex{};

  std::size_t asked(LlmPurpose purpose) const {
    return static_cast<std::size_t>(
        std::count_if(requests.begin(), requests.end(), [&](const LlmRequest& r) { return r.purpose == purpose; }));
  }

  static std::vector<std::string> aliases_in(const std::string& prompt) {
    std::vector<std::string> aliases;
    std::istringstream lines(prompt);
    for (std::string line; std::getline(lines, line);) {
      const auto end = line.find(" | ");
      if (line.size() > 1 && line[0] == 'a' && line[1] >= '0' && line[1] <= '9' && end != std::string::npos)
        aliases.push_back(line.substr(0, end));
    }
    return aliases;
  }

  /// Between the fence lines.
  static std::string source_in(const std::string& prompt) {
    const auto first = prompt.find('\n');
    const auto last = prompt.find("\n</text-");
    return first == std::string::npos || last == std::string::npos ? std::string()
                                                                   : prompt.substr(first + 1, last - first - 1);
  }

  LlmResponse answer(const LlmRequest& request) {
    const std::scoped_lock lock(mutex);
    requests.push_back(request);
    const auto counter = make_approximate_token_counter();
    const auto prompt = text_of(request.messages.back());
    auto text =
        request.purpose == LlmPurpose::context_planning ? plan(aliases_in(prompt)) : summarize(source_in(prompt));
    LlmResponse response;
    const auto most = request.max_output_tokens.value_or(4'096);
    if (counter->count(text) > most) {
      while (counter->count(text) > most) text.resize(text.size() * 9 / 10);
      response.finish_reason = FinishReason::length;
    }
    response.message = {Role::assistant, text};
    response.usage.prompt_tokens =
        count_messages(*counter, request.messages) + counter->count(request.response_schema_json);
    response.usage.completion_tokens = counter->count(text);
    used = used + response.usage;
    ++used.calls;
    return response;
  }
};

inline std::shared_ptr<LlmClient> client_of(const std::shared_ptr<ScriptedModels>& models) {
  return make_llm_client([models](const LlmRequest& request,
                                  const CallOptions&) -> Result<LlmResponse> { return models->answer(request); },
                         1);
}

/// The same decision on every artifact.
inline std::string plan_for_all(const std::vector<std::string>& aliases, const std::string& strategy,
                                int target_tokens = 0) {
  std::string decisions;
  for (const auto& alias : aliases)
    decisions += (decisions.empty() ? "" : ",") + decision(alias, strategy, "", target_tokens);
  return planner_reply(decisions);
}

/// The first lines of a text, about a fifth of it.
inline std::string first_part(const std::string& text) {
  auto end = text.find_first_of(".\n", text.size() / 5);
  return text.substr(0, end == std::string::npos ? text.size() / 5 : end + 1);
}

}  // namespace ctxmgr::testing
