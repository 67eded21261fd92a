// A thread of an agent through each adapter: with room it comes back as it was; without, what is sent fits, calls have their
// results, and messages that were not shortened are the host's own, with all their fields.
#ifdef WITH_LLAMA_CPP
#include "chat.h"
#else
#include "sketch/llama_cpp.hpp"
#endif
#ifdef WITH_NEOGRAPH
#include <neograph/types.h>
#else
#include "sketch/neograph.hpp"
#endif
#include "sketch/agent_cpp.hpp"
#include "sketch/agents_cpp_sdk.hpp"
#include "sketch/ai_sdk_cpp.hpp"
#include "sketch/liboai.hpp"
#include "sketch/opentelemetry.hpp"
//
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "agent_cpp.hpp"
#include "agents_cpp_sdk.hpp"
#include "ai_sdk_cpp.hpp"
#include "liboai.hpp"
#include "llama_cpp.hpp"
#include "neograph.hpp"
#include "opentelemetry.hpp"

namespace {

#define EXPECT(holds) \
  if (!(holds)) std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds), std::exit(1)

using Neutral = ctxmgr::ConversationMessage;
const ctxmgr::ContextManager manager;

ctxmgr::BuildRequest with_budget(std::int64_t tokens) {
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_request("gpt-4o");
  request.budget.max_input_tokens = tokens;
  return request;
}

std::string log(int turn) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "step " + std::to_string(i) + " of run " + std::to_string(turn) + " passed\n";
  return text;
}

std::string arguments(int turn) { return "{\"run\":" + std::to_string(turn) + "}"; }

/// What is the same of every host: the rules of a list, and how much was left out. Returns how many messages changed.
template <class Message>
std::size_t check_fitted(const std::vector<Message>& thread, bool (*same)(const Message&, const Message&)) {
  ctxmgr::ThreadState state;
  const auto whole = fit(manager, thread, with_budget(100'000), state);
  EXPECT(whole && whole->size() == thread.size());
  for (std::size_t i = 0; i < thread.size(); ++i) EXPECT(same((*whole)[i], thread[i]));

  ctxmgr::ContextUtilizationMetadata receipt;
  state = {};
  const auto sent = fit(manager, thread, with_budget(1'500), state, &receipt);
  EXPECT(sent && sent->size() < thread.size() && sent->size() > 3);
  EXPECT(receipt.input_tokens_used <= 1'500 && !state.opaque.empty());
  EXPECT(same(sent->front(), thread.front()) && same(sent->back(), thread.back()));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < sent->size(); ++i) {
    const Neutral message = HostMessage<Message>::read((*sent)[i]);
    if (message.role == ctxmgr::Role::tool) {  // Its call stands before it.
      bool has_call = false;
      for (std::size_t j = 0; j < i; ++j)
        for (const auto& call : HostMessage<Message>::read((*sent)[j]).tool_calls)
          has_call = has_call || call.id == message.tool_call_id;
      EXPECT(has_call);
    }
    const auto is_same = [&](const Message& one) { return same(one, (*sent)[i]); };
    if (std::none_of(thread.begin(), thread.end(), is_same)) ++changed;
  }
  EXPECT(changed > 0 && changed < sent->size());
  return changed;
}

constexpr int turns = 12;

common_chat_msg llama(const char* role, std::string content) {
  common_chat_msg message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

std::vector<common_chat_msg> llama_thread() {
  std::vector<common_chat_msg> thread{llama("system", "You watch a build.")};
  for (int i = 0; i < turns; ++i) {
    const auto id = "call_" + std::to_string(i);
    thread.push_back(llama("user", "Look at run " + std::to_string(i)));
    thread.push_back(llama("assistant", ""));
    thread.back().reasoning_content = "The log will say.";
    thread.back().tool_calls.push_back({"read_log", arguments(i), id});
    thread.push_back(llama("tool", log(i)));
    thread.back().tool_name = "read_log";
    thread.back().tool_call_id = id;
    thread.push_back(llama("assistant", "Run " + std::to_string(i) + " passed."));
  }
  thread.push_back(llama("user", "What failed?"));
  return thread;
}

void check_llama_cpp() {
  check_fitted<common_chat_msg>(llama_thread(), [](const auto& a, const auto& b) { return a == b; });
}

/// The agent's loop hands its vector over before each call; what is cut from it is still in the callback's thread.
void check_agent_cpp() {
  FitBeforeEachCall callback(manager, with_budget(1'500));
  const auto all = llama_thread();
  std::vector<common_chat_msg> messages;
  for (const auto& message : all) {
    messages.push_back(message);
    if (message.role == "user" || message.role == "tool") callback.before_llm_call(messages);
  }
  EXPECT(callback.thread() == all);
  EXPECT(messages.size() < all.size() && messages.back() == all.back());
}

void check_agents_cpp_sdk() {
  using agents::Message;
  std::vector<Message> thread{{Message::Role::SYSTEM, "You watch a build.", {}, {}, {}}};
  for (int i = 0; i < turns; ++i) {
    const auto id = "call_" + std::to_string(i);
    thread.push_back({Message::Role::USER, "Look at run " + std::to_string(i), "ann", {}, {}});
    thread.push_back({Message::Role::ASSISTANT, "", {}, {}, {{id, "read_log", {{"run", i}}, "signed"}}});
    thread.push_back({Message::Role::TOOL, log(i), {}, id, {}});
  }
  thread.push_back({Message::Role::USER, "What failed?", {}, {}, {}});
  check_fitted<Message>(thread, [](const Message& a, const Message& b) {
    const auto same_calls =
        std::equal(a.tool_calls.begin(), a.tool_calls.end(), b.tool_calls.begin(), b.tool_calls.end(),
                   [](const auto& x, const auto& y) {
                     return x.id == y.id && x.arguments == y.arguments && x.signature == y.signature;
                   });
    return a.role == b.role && a.content == b.content && a.name == b.name && a.tool_call_id == b.tool_call_id &&
           same_calls;
  });
}

void check_neograph() {
  using neograph::ChatMessage;
  const auto made = [](const char* role, std::string content) {
    ChatMessage message;
    message.role = role;
    message.content = std::move(content);
    return message;
  };
  std::vector<ChatMessage> thread{made("system", "You watch a build.")};
  for (int i = 0; i < turns; ++i) {
    const auto id = "call_" + std::to_string(i);
    thread.push_back(made("user", "Look at run " + std::to_string(i)));
    if (i == turns - 1) thread.back().image_urls.push_back("https://example.org/run.png");
    thread.push_back(made("assistant", ""));
    thread.back().tool_calls.push_back({id, "read_log", arguments(i)});
#ifndef WITH_NEOGRAPH  // 0.12, the newest whose headers need nothing else, has none.
    thread.back().reasoning_details.push_back({{"type", "opaque"}, {"data", "abc"}});
#endif
    thread.push_back(made("tool", log(i)));
    thread.back().tool_call_id = id;
    thread.back().tool_status = "ok";
  }
  thread.push_back(made("user", "What failed?"));
  check_fitted<ChatMessage>(thread, [](const ChatMessage& a, const ChatMessage& b) {
    return a.role == b.role && a.content == b.content && a.image_urls == b.image_urls &&
           a.tool_call_id == b.tool_call_id && a.tool_status == b.tool_status &&
           reasoning_of(a, 0) == reasoning_of(b, 0) && a.tool_calls.size() == b.tool_calls.size() &&
           (a.tool_calls.empty() || a.tool_calls[0].arguments == b.tool_calls[0].arguments);
  });
}

std::string text_of(const ai::Message& message) {
  std::string text;
  for (const auto& part : message.content) {
    if (const auto* const words = std::get_if<ai::TextContentPart>(&part)) text += words->text;
    if (const auto* const call = std::get_if<ai::ToolCallContentPart>(&part))
      text += "call " + call->id + call->arguments.dump();
    if (const auto* const result = std::get_if<ai::ToolResultContentPart>(&part))
      text += "result " + result->tool_call_id + result->result.dump() + (result->is_error ? "!" : "");
  }
  return text;
}

/// Two calls at once, whose results are one message of the host.
void check_ai_sdk_cpp() {
  ai::Messages thread{{ai::kMessageRoleSystem, {ai::TextContentPart("You watch a build.")}}};
  for (int i = 0; i < turns; ++i) {
    const auto a = "a" + std::to_string(i), b = "b" + std::to_string(i);
    thread.push_back({ai::kMessageRoleUser, {ai::TextContentPart("Look at run " + std::to_string(i))}});
    thread.push_back({ai::kMessageRoleAssistant,
                      {ai::TextContentPart("I look."), ai::ToolCallContentPart(a, "read_log", {{"run", i}}),
                       ai::ToolCallContentPart(b, "read_log", {{"run", -i}})}});
    thread.push_back(
        {ai::kMessageRoleUser,
         {ai::ToolResultContentPart(a, log(i)), ai::ToolResultContentPart(b, {{"error", "no run"}}, true)}});
  }
  thread.push_back({ai::kMessageRoleUser, {ai::TextContentPart("What failed?")}});
  ctxmgr::ThreadState state;
  const auto whole = fit(manager, thread, with_budget(100'000), state);
  EXPECT(whole && whole->size() == thread.size());
  for (std::size_t i = 0; i < thread.size(); ++i)
    EXPECT((*whole)[i].role == thread[i].role && text_of((*whole)[i]) == text_of(thread[i]));

  state = {};
  ctxmgr::ContextUtilizationMetadata receipt;
  const auto sent = fit(manager, thread, with_budget(1'500), state, &receipt);
  EXPECT(sent && sent->size() < thread.size() && receipt.input_tokens_used <= 1'500);
  std::size_t calls = 0, results = 0;
  for (const auto& message : *sent) {
    for (const auto& part : message.content) {
      calls += std::holds_alternative<ai::ToolCallContentPart>(part) ? 1 : 0;
      results += std::holds_alternative<ai::ToolResultContentPart>(part) ? 1 : 0;
    }
  }
  EXPECT(calls > 0 && calls == results);
  EXPECT(text_of(sent->back()) == "What failed?");
}

void check_liboai() {
  nlohmann::json messages = nlohmann::json::array({{{"role", "system"}, {"content", "You watch a build."}}});
  for (int i = 0; i < turns; ++i) {
    messages.push_back({{"role", "user"}, {"content", "Look at run " + std::to_string(i)}});
    messages.push_back({{"role", "assistant"},
                        {"content", nullptr},
                        {"function_call", {{"name", "read_log"}, {"arguments", arguments(i)}}}});
    messages.push_back({{"role", "function"}, {"name", "read_log"}, {"content", log(i)}});
  }
  messages.push_back({{"role", "user"}, {"content", "What failed?"}});
  const nlohmann::json function = {
      {"name", "read_log"}, {"description", "Reads a log."}, {"parameters", {{"type", "object"}}}};
  liboai::Conversation conversation;
  EXPECT(conversation.Import(nlohmann::json{{"messages", messages}, {"functions", {function}}}.dump()));

  ctxmgr::ThreadState state;
  const auto whole = fit(manager, conversation, with_budget(100'000), state);
  EXPECT(whole && nlohmann::json::parse(whole->Export()) == nlohmann::json::parse(conversation.Export()));
  state = {};
  const auto sent = fit(manager, conversation, with_budget(1'500), state);
  EXPECT(sent);
  const auto list = nlohmann::json::parse(sent->Export())["messages"];
  EXPECT(list.size() < messages.size() && list.back() == messages.back());
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i]["role"] == "function") EXPECT(list[i - 1].contains("function_call"));
}

/// A struct that nobody but this test knows.
struct Line {
  std::string who, what;
  int colour = 0;
};

}  // namespace

template <>
struct HostMessage<Line> {
  static Neutral read(const Line& line) { return {role_named(line.who), line.what}; }
  static void write(const Neutral& built, Line& line) {
    line.who = ctxmgr::to_string(built.role);
    line.what = ctxmgr::text_of(built);
  }
};

namespace {

void check_your_struct() {
  std::vector<Line> thread{{"system", "You watch a build.", 1}};
  for (int i = 0; i < 40; ++i)
    thread.push_back({i % 2 == 0 ? "user" : "assistant", "Turn " + std::to_string(i) + log(i), i});
  thread.push_back({"user", "What failed?", 7});
  ctxmgr::ThreadState state;
  const auto sent = fit(manager, thread, with_budget(1'500), state);
  EXPECT(sent && sent->size() < thread.size());
  EXPECT(sent->back().what == "What failed?" && sent->back().colour == 7 && sent->front().colour == 1);
  const auto refused = fit(manager, thread, with_budget(3), state);
  EXPECT(!refused && refused.error().code == ctxmgr::ErrorCode::budget_exceeded);
}

/// A build is heard of in the span that is open: its steps by name, its conversation, no text of a message.
void check_opentelemetry() {
  ctxmgr::ContextManagerOptions options;
  options.observer = make_span_observer();
  const ctxmgr::ContextManager observed(options);
  ctxmgr::Context context;
  context.conversation_history.push_back({ctxmgr::Role::user, "A secret question"});
  auto request = with_budget(1'000);
  request.scope = "thread-7";
  EXPECT(observed.build(context, request));
  options.observer->on_event(
      {ctxmgr::EventKind::llm_call,
       "thread-7",
       {{"model", std::string_view("m")}, {"prompt_tokens", std::int64_t{5}}, {"error", std::string_view()}}});
  const auto& events = opentelemetry::trace::Tracer::GetCurrentSpan()->events;
  EXPECT(events.size() > 3 && events.front().name == "ctxmgr.build_step");
  EXPECT(!events.front().texts.at("ctxmgr.step").empty());
  for (const auto& event : events)
    for (const auto& [key, text] : event.texts) EXPECT(text.find("secret") == std::string::npos);
  const auto& call = events.back();
  EXPECT(call.name == "gen_ai.client.inference.operation.details" && call.texts.count("error.type") == 0);
  EXPECT(call.texts.at("gen_ai.request.model") == "m" && call.numbers.at("gen_ai.usage.input_tokens") == 5);
  EXPECT(call.texts.at("gen_ai.conversation.id") == "thread-7");
}

}  // namespace

int main() {
  check_llama_cpp();
  check_agent_cpp();
  check_agents_cpp_sdk();
  check_neograph();
  check_ai_sdk_cpp();
  check_liboai();
  check_your_struct();
  check_opentelemetry();
#if defined(WITH_LLAMA_CPP)
  std::puts("all adapters hold, llama.cpp's against its own header");
#elif defined(WITH_NEOGRAPH)
  std::puts("all adapters hold, NeoGraph's against its own header");
#else
  std::puts("all adapters hold, against sketches of their hosts");
#endif
}
