// Builds of any conversation with any replies of the models: never over the budget, calls and results together, and
// the next build of the thread likewise.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/testing/manual_clock.hpp"

namespace {

using namespace ctxmgr;

void demand(bool holds) {
  if (!holds) std::abort();
}

/// Takes the input apart: numbers of one byte, texts up to a zero byte.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  unsigned number() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string text() {
    const auto end = rest_.find('\0');
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return text;
  }

 private:
  std::string_view rest_;
};

void add_message(Context& context, Input& input) {
  auto& history = context.conversation_history;
  const auto kind = input.number();
  const std::string id = "call_" + std::to_string(history.size());
  switch (kind % 6) {
    case 0: history.push_back({Role::system, input.text()}); return;
    case 1: history.push_back({Role::user, input.text()}); break;
    case 2: history.push_back({Role::assistant, input.text()}); break;
    case 3: context.artifacts.push_back(make_document("d" + std::to_string(history.size()), input.text())); return;
    default: {
      history.push_back({Role::assistant});
      history.back().tool_calls.push_back({id, "tool", input.text()});
      history.push_back({Role::tool, input.text()});
      history.back().tool_call_id = id;
      return;
    }
  }
  if (kind > 240) history.back().retention = Retention::pinned;
}

void check(const Result<BuiltContext>& built, std::int64_t budget) {
  if (!built)
    return demand(built.error().code == ErrorCode::budget_exceeded ||
                  built.error().code == ErrorCode::invalid_argument);
  static const auto counter = make_approximate_token_counter();
  demand(count_messages(*counter, built->messages) == built->metadata.input_tokens_used);
  demand(built->metadata.input_tokens_used <= budget);
  std::set<std::string> open;
  for (const auto& message : built->messages) {
    for (const auto& call : message.tool_calls) open.insert(call.id);
    if (message.role == Role::tool) demand(open.erase(message.tool_call_id) == 1);
  }
  demand(open.empty());
}

/// Every call is answered with the same text.
Result<BuiltContext> build(const ContextManager& manager, const Context& context, const BuildRequest& request,
                           const std::string& reply) {
  auto started = manager.start(context, request);
  if (!started) return tl::unexpected(started.error());
  for (auto calls = started->next_calls(); !calls.empty(); calls = started->next_calls()) {
    for (const auto& call : calls) {
      LlmResponse response;
      response.message = {Role::assistant, reply};
      started->reply(call.id, response);
    }
  }
  demand(started->done());
  return std::move(*started).finish();
}

}  // namespace

// Budget, reply, question, and then messages and documents.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  ContextManagerOptions options;
  options.clock = std::make_shared<testing::ManualClock>();
  const ContextManager manager(options);
  BuildRequest request;
  request.planning.mode = input.number() % 2 == 0 ? PlannerMode::llm : PlannerMode::none;
  request.budget.max_input_tokens = input.number() * 4;
  const auto reply = input.text();
  Context context;
  const auto question = input.text();
  for (int i = 0; i < 40 && !input.empty(); ++i) add_message(context, input);
  context.conversation_history.push_back({Role::user, question});
  const auto first = build(manager, context, request, reply);
  check(first, *request.budget.max_input_tokens);
  if (!first) return 0;
  request.thread_state = first->thread_state;
  context.conversation_history.push_back({Role::assistant, reply});
  context.conversation_history.push_back({Role::user, question});
  check(build(manager, context, request, reply), *request.budget.max_input_tokens);
  return 0;
}
