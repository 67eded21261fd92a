// Ten turns of an agent with tools, in a process that is restarted in between. The host keeps two things, the messages and the
// thread state; what is sent stays within its budget, and its beginning keeps its bytes, so that prompt caches keep
// hitting, also after the restart.
//
// The model here is a function, so that the program needs no key: it asks for a page of a manual, then answers.
#include <ctxmgr/ctxmgr.hpp>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

namespace {

using namespace ctxmgr;

constexpr std::int64_t budget_tokens = 1'500;

struct Thread {
  Context context;    // conversation_history has everything, always
  ThreadState state;  // of the build before; empty at first
};

Result<std::string> answer(const ContextManager& manager, LlmClient& model, Thread& thread, BuildRequest request,
                           const std::function<ConversationMessage(const ToolCall&)>& run_tool,
                           const std::function<void(const Thread&)>& save) {
  for (bool refused = false;;) {
    request.thread_state = thread.state;
    auto built = manager.build(thread.context, request);
    if (!built) return tl::unexpected(built.error());
    LlmRequest call;
    call.model = request.models.primary;
    call.messages = std::move(built->messages);
    call.tools = std::move(built->tools);
    const auto reply = model.complete(call, {});
    if (!reply && reply.error().code == ErrorCode::context_length_exceeded && !std::exchange(refused, true)) {
      request.budget = after_refusal(request.budget, built->metadata.input_tokens_used + built->metadata.tools_tokens);
      continue;
    }
    if (!reply) return tl::unexpected(reply.error());
    thread.state = built->thread_state;
    thread.context.conversation_history.push_back(reply->message);
    for (const auto& asked : reply->message.tool_calls) thread.context.conversation_history.push_back(run_tool(asked));
    save(thread);
    if (reply->message.tool_calls.empty()) return text_of(reply->message);
  }
}

/// A tool of the host: a page of a manual.
ConversationMessage read_page(const ToolCall& call) {
  const int page = std::stoi(call.arguments_json.substr(call.arguments_json.find(':') + 1));
  std::string text = "Page " + std::to_string(page) + ".\n";
  for (int line = 1; line <= 40; ++line) {
    text += "Part " + std::to_string(page * 100 + line) + " has a torque of " + std::to_string(10 + page + line % 7) +
            " Nm.\n";
  }
  ConversationMessage result{Role::tool, std::move(text)};
  result.tool_call_id = call.id;
  return result;
}

/// Stands in for a model: asks for the page of the turn, and answers once it has it.
Result<LlmResponse> scripted_model(const LlmRequest& request, const CallOptions&) {
  static int turn = 0;
  LlmResponse response;
  response.message.role = Role::assistant;
  if (request.messages.back().role == Role::tool) {
    response.message.content = "Page " + std::to_string(turn) + " is read.";
  } else {
    ++turn;
    response.message.tool_calls.push_back(
        {"call_" + std::to_string(turn), "read_page", "{\"page\":" + std::to_string(turn) + "}", {}});
  }
  return response;
}

/// What a host has in its database; here, texts.
struct Stored {
  std::string messages;
  std::string state;
};

Stored stored_form(const Thread& thread) { return {to_json(thread.context.conversation_history), thread.state.opaque}; }

Result<Thread> restored(const Stored& stored) {
  auto messages = from_json<std::vector<ConversationMessage>>(stored.messages);
  if (!messages) return tl::unexpected(messages.error());
  Thread thread;
  thread.context.conversation_history = std::move(*messages);
  thread.state.opaque = stored.state;
  return thread;
}

/// One turn of a process that knows nothing but what is stored.
Result<std::string> run_turn(const BuildRequest& request, int turn, Stored& stored) {
  auto thread = restored(stored);
  if (!thread) return tl::unexpected(thread.error());
  const ContextManager manager;
  const auto model = make_llm_client(scripted_model);
  thread->context.conversation_history.push_back(
      {Role::user, "What torque does part " + std::to_string(turn * 100 + 3) + " have?"});
  return answer(manager, *model, *thread, request, read_page,
                [&stored](const Thread& now) { stored = stored_form(now); });
}

}  // namespace

int main() {
  BuildRequest request;
  request.models = ModelConfig::from_request("gpt-5.6");
  request.budget.max_input_tokens = budget_tokens;
  request.tools.push_back(
      {"read_page", "Reads a page of the manual.", R"({"type":"object","properties":{"page":{"type":"integer"}}})"});

  Thread fresh;
  fresh.context.conversation_history = {{Role::system, "You read manuals. Use read_page."}};
  Stored stored = stored_form(fresh);
  std::cout << "turn  answer\n";
  for (int turn = 1; turn <= 10; ++turn) {
    const auto answered = run_turn(request, turn, stored);
    if (!answered) return std::cerr << answered.error().message << '\n', 1;
    std::cout << turn << '\t' << *answered << '\n';
  }
  const auto thread = restored(stored);
  if (!thread) return std::cerr << thread.error().message << '\n', 1;
  request.thread_state = thread->state;
  const auto next = ContextManager().build(thread->context, request);
  if (!next) return std::cerr << next.error().message << '\n', 1;
  std::cout << "\nThe next request takes " << next->metadata.input_tokens_used << " tokens, of which "
            << next->metadata.prefix_tokens_kept << " are as in the one before; " << next->metadata.messages_excluded
            << " of " << thread->context.conversation_history.size() << " messages are left out.\n";
}
