// Whole builds over recorded questions: what ContextManager keeps of the evidence, frames and receipts' lines included.
// bench/selection_eval.sh runs it.
//
//   selection_build SHARE CASES --budget N,N --counter chars4 [--histories FILE] [--artifacts FILE]
//
// SHARE is HistoryPolicy::recent_share. Prints predictions as `ctxpack select` does. A message costs its characters / 4,
// without framing, and the question costs nothing, as the score has it.
#include <charconv>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "engine/history/thread_analysis.hpp"

namespace {

using namespace ctxmgr;
using Json = nlohmann::json;

using ctxpack::Rows;
using ctxpack::text_or;

/// As the score renders messages.
std::string render(const ConversationMessage& message) { return engine::render_message(message) + "\n"; }

class RenderedCounter final : public TokenCounter {
 public:
  [[nodiscard]] TokenCounterInfo info() const override { return {}; }
  [[nodiscard]] std::int64_t count(std::string_view text) const override { return chars4_->count(text); }
  [[nodiscard]] std::int64_t count_message(const ConversationMessage& message) const override {
    return count(render(message));
  }

 private:
  std::unique_ptr<TokenCounter> chars4_ = ctxpack::make_chars4_counter();
};

ConversationMessage message_of(const Json& row) {
  ConversationMessage message;
  const auto role = text_or(row, "role");
  message.role = role == "assistant" ? Role::assistant : role == "tool" ? Role::tool : Role::user;
  message.content = text_or(row, "content");
  message.name = text_or(row, "name");
  message.tool_call_id = text_or(row, "tool_call_id");
  if (const auto calls = row.find("tool_calls"); calls != row.end() && calls->is_array()) {
    for (const auto& call : *calls)
      message.tool_calls.push_back({text_or(call, "id"), text_or(call, "name"), text_or(call, "arguments")});
  }
  return message;
}

/// What was said before the cut, without results whose calls were not recorded.
std::vector<ConversationMessage> visible(const Json& history, std::int64_t cutoff) {
  std::vector<ConversationMessage> messages;
  std::set<std::string> open;
  for (const auto& row : history.at("messages")) {
    if (row.at("seq").get<std::int64_t>() >= cutoff) break;
    auto message = message_of(row);
    if (message.role == Role::tool && open.erase(message.tool_call_id) == 0) continue;
    for (const auto& call : message.tool_calls) open.insert(call.id);
    messages.push_back(std::move(message));
  }
  return messages;
}

Context context_of(const Json& row, const Rows& histories, const Rows& artifacts) {
  Context context;
  if (const auto history = histories.find(text_or(row, "history_id")); history != histories.end())
    context.conversation_history = visible(history->second, row.value("cutoff_seq", std::int64_t{0}));
  if (text_or(row, "kind") != "agent") context.conversation_history.push_back({Role::user, text_or(row, "query")});
  for (const auto& id : row.value("artifact_ids", Json::array())) {
    const auto found = artifacts.find(id.get<std::string>());
    if (found == artifacts.end()) continue;
    auto document = make_document(found->first, text_or(found->second, "content"));
    if (const auto title = text_or(found->second, "title"); !title.empty()) document.metadata["title"] = title;
    context.artifacts.push_back(std::move(document));
  }
  return context;
}

/// The text of everything but the question.
std::string rest_of(const std::vector<ConversationMessage>& messages, const std::string& question) {
  std::string text;
  for (const auto& message : messages) text += render(message);
  if (const auto at = text.rfind(question); at != std::string::npos) text.erase(at, question.size());
  return text;
}

std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const char* at = text.data(); at < text.data() + text.size(); ++at)
    at = std::from_chars(at, text.data() + text.size(), numbers.emplace_back()).ptr;
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string_view, std::string> options{
      {"--budget", ""}, {"--counter", ""}, {"--histories", ""}, {"--artifacts", ""}};
  for (int i = 3; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (argc < 5 || argc % 2 == 0 || options.size() > 4)
    return std::fprintf(stderr, "usage: see the head of selection_build.cpp\n"), 2;
  const auto cases = ctxpack::read_rows(argv[2], "case_id");
  const auto histories = ctxpack::read_rows(options["--histories"], "history_id");
  const auto artifacts = ctxpack::read_rows(options["--artifacts"], "artifact_id");
  for (const auto* rows : {&cases, &histories, &artifacts})
    if (!*rows) return std::fprintf(stderr, "%s\n", rows->error().message.c_str()), 2;
  const auto counter = std::make_shared<RenderedCounter>();
  ContextManagerOptions manager_options;
  manager_options.token_counters = {counter};
  const ContextManager manager(manager_options);
  for (const auto& [id, row] : *cases) {
    const auto context = context_of(row, *histories, *artifacts);
    BuildRequest request;
    request.query = text_or(row, "query");
    request.history.recent_share = std::strtod(argv[1], nullptr);
    std::string question;
    for (const auto& message : context.conversation_history)
      if (message.role == Role::user) question = render(message);
    for (const auto budget : numbers_of(options["--budget"])) {
      request.budget.max_input_tokens = budget + counter->count(question) + reply_priming_tokens;
      const auto built = manager.build(context, request);
      if (!built) std::fprintf(stderr, "%s: %s\n", id.c_str(), built.error().message.c_str());
      const Json line{{"source", text_or(row, "source")},
                      {"case_id", id},
                      {"budget", budget},
                      {"context", built ? rest_of(built->messages, question) : std::string()}};
      std::puts(line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    }
  }
}
