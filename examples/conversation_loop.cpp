// Ten turns of an agent with tools. The host keeps two things between turns, its history and the thread state; the
// context that is sent stays within its budget, and its beginning keeps its bytes, so that prompt caches keep hitting.
//
// The model here is a function, so that the program needs no key: it asks for a page of a manual, then answers.
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>
#include <string>

namespace {

using namespace ctxmgr;

constexpr std::int64_t budget_tokens = 1'500;

/// A tool of the host: a page of a manual.
ConversationMessage read_page(const ToolCall& call, int page) {
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
LlmResponse model(const std::vector<ConversationMessage>& messages, int turn) {
  LlmResponse response;
  response.message.role = Role::assistant;
  if (messages.back().role == Role::tool) {
    response.message.content = "Page " + std::to_string(turn) + " is read.";
  } else {
    response.message.tool_calls.push_back(
        {"call_" + std::to_string(turn), "read_page", "{\"page\":" + std::to_string(turn) + "}"});
  }
  return response;
}

Result<BuiltContext> next_context(const ContextManager& manager, const Context& context, BuildRequest& request) {
  auto built = manager.build(context, request);
  if (built) request.thread_state = built->thread_state;
  return built;
}

}  // namespace

int main() {
  const ContextManager manager;
  Context context;
  context.conversation_history = {{Role::system, "You read manuals. Use read_page."}};
  BuildRequest request;
  request.models = ModelConfig::from_request("gpt-4o");
  request.budget.max_input_tokens = budget_tokens;
  request.tools.push_back(
      {"read_page", "Reads a page of the manual.", R"({"type":"object","properties":{"page":{"type":"integer"}}})"});

  std::cout << "turn  tokens  kept from before  messages sent/left out\n";
  for (int turn = 1; turn <= 10; ++turn) {
    context.conversation_history.push_back(
        {Role::user, "What torque does part " + std::to_string(turn * 100 + 3) + " have?"});
    for (bool answered = false; !answered;) {
      const auto built = next_context(manager, context, request);
      if (!built) {
        std::cerr << built.error().message << '\n';
        return 1;
      }
      const auto& receipt = built->metadata;
      std::cout << turn << '\t' << receipt.input_tokens_used << '\t' << receipt.prefix_tokens_kept << "\t\t"
                << receipt.messages_included << '/' << receipt.messages_excluded << '\n';
      const auto reply = model(built->messages, turn);
      context.conversation_history.push_back(reply.message);
      answered = reply.message.tool_calls.empty();
      if (!answered) context.conversation_history.push_back(read_page(reply.message.tool_calls.front(), turn));
    }
  }
}
