// An agent whose task asks at the beginning: it reads twenty-five files after that, and the answer stands in the third.
#include <nlohmann/json.hpp>

#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::json;

constexpr int records = 25;
constexpr const char* answer = "KESTREL-4471";
constexpr const char* task =
    "What is the gate code of berth 7? Read the records of the berths from 1 to 25, one after the other, then answer.";

std::string record(int number) {
  constexpr int lines = 60;
  constexpr int place = 31;
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const auto entry = "Entry " + std::to_string(i) + " of list " + std::to_string(number);
    text += number == 3 && i == place
                ? entry + ": the gate code of berth 7 is " + answer + ".\n"
                : entry + ": berth " + std::to_string(10 + i % 12) + ", draught " + std::to_string(3 + i % 7) + "." +
                      std::to_string(i % 10) + " m, crane " + std::to_string(i % 5) + ", paid " +
                      std::to_string(100 + i * 13 + number) + " crowns.\n";
  }
  return text;
}

/// A service's form: the path, the conversation as it begins, and what a call of the model and its result add to it.
struct Form {
  const char* path;
  json begin;
  const char* messages;  ///< The field of the conversation.
  json (*turn)(int number, const std::string& result);
};

const json schema = {{"type", "object"}, {"properties", {{"path", {{"type", "string"}}}}}, {"required", {"path"}}};

json place_of(int number) { return {{"path", "records/berths-" + std::to_string(number) + ".md"}}; }

std::vector<Form> forms() {
  const json user = {{"role", "user"}, {"content", task}};
  const json tool = {{"name", "read_file"}, {"description", "Reads a file"}};
  auto chat_tool = tool;
  chat_tool["parameters"] = schema;
  auto responses_tool = chat_tool;
  responses_tool["type"] = "function";
  auto messages_tool = tool;
  messages_tool["input_schema"] = schema;
  const json system = {{"role", "system"}, {"content", "You answer questions about a harbour."}};
  return {
      {"/v1/chat/completions",
       {{"model", "gpt-4o"},
        {"messages", {system, user}},
        {"tools", {{{"type", "function"}, {"function", chat_tool}}}}},
       "messages",
       [](int number, const std::string& result) -> json {
         const auto id = "call_" + std::to_string(number);
         const json function = {{"name", "read_file"}, {"arguments", place_of(number).dump()}};
         return {{{"role", "assistant"},
                  {"content", nullptr},
                  {"tool_calls", {{{"id", id}, {"type", "function"}, {"function", function}}}}},
                 {{"role", "tool"}, {"tool_call_id", id}, {"content", result}}};
       }},
      {"/v1/messages",
       {{"model", "claude-sonnet-4-6"},
        {"max_tokens", 500},
        {"system", system["content"]},
        {"messages", {user}},
        {"tools", {messages_tool}}},
       "messages",
       [](int number, const std::string& result) -> json {
         const auto id = "toolu_" + std::to_string(number);
         const json call = {{"type", "tool_use"}, {"id", id}, {"name", "read_file"}, {"input", place_of(number)}};
         const json said = {{"type", "tool_result"}, {"tool_use_id", id}, {"content", result}};
         return {{{"role", "assistant"}, {"content", {call}}}, {{"role", "user"}, {"content", {said}}}};
       }},
      {"/v1/responses",
       {{"model", "gpt-4o"}, {"instructions", system["content"]}, {"input", {user}}, {"tools", {responses_tool}}},
       "input",
       [](int number, const std::string& result) -> json {
         const auto id = "call_" + std::to_string(number);
         return {{{"type", "function_call"},
                  {"call_id", id},
                  {"name", "read_file"},
                  {"arguments", place_of(number).dump()}},
                 {{"type", "function_call_output"}, {"call_id", id}, {"output", result}}};
       }},
  };
}

/// The last request that the service got, with `budget`.
std::string last_request(Form form, std::int64_t budget) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), budget);
  for (int number = 0; number <= records; ++number) {
    if (number > 0) {
      for (auto& message : form.turn(number, record(number))) form.begin[form.messages].push_back(std::move(message));
    }
    const auto reply = proxy.post(form.path, form.begin.dump());
    EXPECT_TRUE(reply && reply->status == 200) << (reply ? reply->body : "no answer");
  }
  for (const auto& step : proxy.proxy->ledger().steps()) {
    EXPECT_LE(step->receipt.input_tokens_used + step->receipt.tools_tokens, budget);
  }
  EXPECT_GT(proxy.proxy->ledger().steps().back()->receipt.messages_excluded, 0U);
  return posts_of(upstream).back().body;
}

TEST(ProxyTaskRecallTest, TheLastRequestHoldsWhatTheTaskAsksForAtEveryBudget) {
  for (const auto& form : forms()) {
    for (const std::int64_t budget : {4'000, 6'000, 8'000, 12'000, 16'000, 24'000, 32'000}) {
      const auto request = last_request(form, budget);
      EXPECT_NE(request.find(task), std::string::npos) << form.path << " at " << budget;
      EXPECT_NE(request.find(answer), std::string::npos) << form.path << " at " << budget;
    }
  }
}

}  // namespace
}  // namespace ctxpack::serve::test
