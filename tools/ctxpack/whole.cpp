#include "whole.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "ctxmgr/ctxmgr.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using Json = nlohmann::json;

Role role_of(const Json& row) {
  const auto role = text_or(row, "role");
  return role == "assistant" ? Role::assistant
         : role == "tool"    ? Role::tool
         : role == "system"  ? Role::system
                             : Role::user;
}

std::string_view speaker_name(const ConversationMessage& message) {
  if (!message.name.empty()) return message.name;
  switch (message.role) {
    case Role::system: return "system";
    case Role::developer: return "developer";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
    case Role::tool: return "tool";
  }
  return "user";
}

bool is_system(const ConversationMessage& message) {
  return message.role == Role::system || message.role == Role::developer;
}

std::string message_text(const ConversationMessage& message) {
  auto text = std::string(speaker_name(message)) + ": " + ctxmgr::text_of(message);
  for (const auto& call : message.tool_calls) text += "\n[call " + call.name + "(" + call.arguments_json + ")]";
  return text + "\n";
}

/// Counts messages as the score does: their rendered text.
class RenderedCounter final : public ctxmgr::TokenCounter {
 public:
  explicit RenderedCounter(std::unique_ptr<ctxmgr::TokenCounter> texts) : texts_(std::move(texts)) {}
  [[nodiscard]] ctxmgr::TokenCounterInfo info() const override { return {}; }
  [[nodiscard]] std::int64_t count(std::string_view text) const override { return texts_->count(text); }
  [[nodiscard]] std::int64_t count_message(const ConversationMessage& message) const override {
    return count(message_text(message));
  }

 private:
  std::unique_ptr<ctxmgr::TokenCounter> texts_;
};

ConversationMessage message_of(const Json& row) {
  ConversationMessage message;
  message.role = role_of(row);
  message.content = text_or(row, "content");
  message.name = text_or(row, "name");
  message.tool_call_id = text_or(row, "tool_call_id");
  message.created_at = day_of(row);
  if (const auto calls = row.find("tool_calls"); calls != row.end() && calls->is_array()) {
    for (const auto& call : *calls)
      message.tool_calls.push_back({text_or(call, "id"), text_or(call, "name"), text_or(call, "arguments"), {}});
  }
  return message;
}

/// System message, pins, and what was said before the cut, without results whose calls were not recorded.
std::vector<ConversationMessage> visible(const Json& history, std::int64_t cutoff) {
  std::vector<ConversationMessage> messages;
  if (const auto system = text_or(history, "system"); !system.empty()) messages.push_back({Role::system, system});
  for (const auto& row : history.value("pinned", Json::array())) {
    messages.push_back(message_of(row));
    messages.back().retention = ctxmgr::Retention::pinned;
  }
  std::set<std::string> open;
  for (const auto& row : history.at("messages")) {
    if (row.value("seq", std::int64_t{0}) >= cutoff) break;
    auto message = message_of(row);
    if (message.role == Role::tool && open.erase(message.tool_call_id) == 0) continue;
    for (const auto& call : message.tool_calls) open.insert(call.id);
    messages.push_back(std::move(message));
  }
  return messages;
}

/// As a host has it: an agent is at work on what it was asked before, everybody else asks the question now.
ctxmgr::Context context_of(const CaseRows& rows) {
  ctxmgr::Context context;
  if (rows.history != nullptr)
    context.conversation_history = visible(*rows.history, rows.row->value("cutoff_seq", std::int64_t{0}));
  if (text_or(*rows.row, "kind") != "agent")
    context.conversation_history.push_back({Role::user, text_or(*rows.row, "query")});
  for (const Json* row : rows.artifacts) {
    auto document = ctxmgr::make_document(text_or(*row, "artifact_id"), text_or(*row, "content"));
    if (const auto title = text_or(*row, "title"); !title.empty()) document.metadata["title"] = title;
    context.artifacts.push_back(std::move(document));
  }
  return context;
}

/// What costs nothing: system messages, pins, and the last user message.
std::vector<const ConversationMessage*> free_of(const std::vector<ConversationMessage>& history) {
  std::vector<const ConversationMessage*> messages;
  const ConversationMessage* question = nullptr;
  for (const auto& message : history) {
    if (message.role == Role::user) question = &message;
    if (is_system(message) || message.retention == ctxmgr::Retention::pinned) messages.push_back(&message);
  }
  if (question != nullptr && question->retention != ctxmgr::Retention::pinned) messages.push_back(question);
  return messages;
}

/// Takes a message out of these rendered ones: the newest that is the same, else its words from the newest that holds
/// them (a question may stand in one message with what was found for it).
void take_out(const ConversationMessage& message, std::vector<std::string>& texts) {
  if (const auto same = std::find(texts.rbegin(), texts.rend(), message_text(message)); same != texts.rend())
    return same->clear();
  const auto words = ctxmgr::text_of(message);
  for (auto text = texts.rbegin(); text != texts.rend(); ++text) {
    if (const auto at = text->rfind(words); at != std::string::npos) {
      text->erase(at, words.size());
      return;
    }
  }
}

/// The text of everything but these.
std::string rest_of(const std::vector<ConversationMessage>& sent, const std::vector<const ConversationMessage*>& free) {
  std::vector<std::string> texts;
  for (const auto& message : sent) texts.push_back(message_text(message));
  for (const auto* message : free) take_out(*message, texts);
  std::string rest;
  for (const auto& text : texts) rest += text;
  return rest;
}

}  // namespace

/// What a planner that knows the answer replies: whole what holds nothing but evidence, of everything else what the
/// evidence says.
struct WholeBuilds::Evidence {
  std::map<std::string, std::string> of_artifacts{};  ///< What to look for in a document; empty: all of it.
  std::string of_history{};                           ///< What to look for in the conversation.

  [[nodiscard]] Json decision_for(const std::string& alias, const std::string& described) const {
    std::string strategy = "exclude";
    std::string query;
    const auto holds = [&described](const auto& entry) {
      return described.find(":" + entry.first + " | ") != std::string::npos;
    };
    if (described.find(" | conversation | ") == 0) {
      strategy = of_history.empty() ? strategy : "rag_extract";
      query = of_history;
    } else if (const auto found = std::find_if(of_artifacts.begin(), of_artifacts.end(), holds);
               found != of_artifacts.end()) {
      strategy = found->second.empty() ? "include_full" : "rag_extract";
      query = found->second;
    }
    const int target = strategy == "exclude" ? 0 : 100'000;
    return {{"artifact", alias}, {"strategy", strategy}, {"priority", 1},          {"rationale", ""},
            {"focus", ""},       {"query", query},       {"target_tokens", target}};
  }

  [[nodiscard]] std::string plan_for(const std::string& catalogue) const {
    auto decisions = Json::array();
    std::istringstream lines(catalogue);
    for (std::string line; std::getline(lines, line);) {
      const auto end = line.find(" | ");
      if (end == std::string::npos || line.size() < 2 || line[0] != 'a' || line[1] < '0' || line[1] > '9') continue;
      decisions.push_back(decision_for(line.substr(0, end), line.substr(end)));
    }
    return Json{{"reasoning", ""}, {"decisions", decisions}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void read(const CaseRows& rows) {
    of_artifacts.clear();
    of_history.clear();
    const auto gold = rows.row->value("gold", Json::object());
    for (const auto& id : gold.value("artifact_ids", Json::array())) of_artifacts[id.get<std::string>()];
    for (const auto& span : gold.value("spans", Json::array())) {
      auto& query = span.contains("artifact_id") ? of_artifacts[text_or(span, "artifact_id")] : of_history;
      query += text_or(span, "text") + " ";
    }
    if (of_history.empty() && rows.history != nullptr) of_history = said_in(*rows.history, gold);
  }

 private:
  /// Messages that are evidence, and values that are, each with the words before it.
  static std::string said_in(const Json& history, const Json& gold) {
    std::string said;
    const auto ids = gold.value("message_ids", Json::array());
    for (const auto& message : history.at("messages")) {
      if (std::find(ids.begin(), ids.end(), message.value("id", Json())) != ids.end())
        said += text_or(message, "content") + " ";
    }
    for (const auto& needle : gold.value("needles", Json::array())) said += with_words_before(history, needle) + " ";
    return said;
  }

  static std::string with_words_before(const Json& history, const Json& needle) {
    constexpr std::size_t words_before = 40;  // In bytes: a few of them.
    auto value = text_or(needle, "value");
    const auto support = needle.value("support", Json::array());
    for (const auto& message : history.at("messages")) {
      if (std::find(support.begin(), support.end(), message.value("id", Json())) == support.end()) continue;
      const auto text = message_text(message_of(message));
      const auto at = text.find(value);
      if (at == std::string::npos) continue;
      const auto first = text.find(' ', at - std::min(at, words_before));
      return text.substr(std::min(first, at), at - std::min(first, at)) + value;
    }
    return value;
  }
};

WholeBuilds::WholeBuilds(std::unique_ptr<ctxmgr::TokenCounter> texts, bool with_planner,
                         std::shared_ptr<ctxmgr::Embedder> embedder) {
  const auto counter = std::make_shared<RenderedCounter>(std::move(texts));
  ctxmgr::ContextManagerOptions options;
  options.embedder = std::move(embedder);
  if (with_planner) {
    evidence_ = std::make_shared<Evidence>();
    options.client = ctxmgr::make_llm_client(
        [evidence = evidence_](const ctxmgr::LlmRequest& request, const ctxmgr::CallOptions&) {
          ctxmgr::LlmResponse response;
          response.message = {Role::assistant, evidence->plan_for(ctxmgr::text_of(request.messages.back()))};
          return ctxmgr::Result<ctxmgr::LlmResponse>(std::move(response));
        },
        1);
  }
  options.token_counters = {counter};
  counter_ = counter;
  manager_ = ctxmgr::ContextManager(std::move(options));
}

ctxmgr::Result<std::string> WholeBuilds::build(const CaseRows& rows, std::int64_t budget) const {
  if (evidence_) evidence_->read(rows);
  const auto context = context_of(rows);
  const auto free = free_of(context.conversation_history);
  ctxmgr::BuildRequest request;
  std::int64_t most = budget + counter_->reply_priming_tokens();
  for (const auto* message : free) most += counter_->count_message(*message);
  if (evidence_) request.planning.mode = ctxmgr::PlannerMode::llm;
  // What costs nothing has room beside the budget. Where a build shortens it, the rest would take that room.
  constexpr int most_builds = 8;
  std::int64_t over = 0;
  for (int i = 0; i < most_builds && most >= over; ++i) {
    most -= over;
    request.budget.max_input_tokens = most;
    const auto built = manager_.build(context, request);
    if (!built) return tl::unexpected(built.error());
    auto rest = rest_of(built->messages, free);
    over = counter_->count(rest) - budget;
    if (over <= 0) return rest;
  }
  return ctxmgr::fail(ctxmgr::ErrorCode::budget_exceeded,
                      "what costs nothing is not sent whole, and the rest takes its room");
}

}  // namespace ctxpack
