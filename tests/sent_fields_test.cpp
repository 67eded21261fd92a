#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"

/// Whatever a request sends is counted: each door's published fields, one after the other. In place of $ stands a text.
namespace ctxmgr {
namespace {

using Door = Result<WireBuild> (*)(const ContextManager&, std::string_view, const BuildRequest&);

Result<WireBuild> chat(const ContextManager& manager, std::string_view body, const BuildRequest& request) {
  return build_openai(manager, body, request);
}
Result<WireBuild> messages(const ContextManager& manager, std::string_view body, const BuildRequest& request) {
  return build_anthropic(manager, body, request);
}
Result<WireBuild> responses(const ContextManager& manager, std::string_view body, const BuildRequest& request) {
  return build_responses(manager, body, request);
}

std::string with(std::string body, const std::string& text) {
  const auto at = body.find('$');
  return body.replace(at, 1, text);
}

/// What the receipt says is sent; -1: nothing is.
std::int64_t counted(Door door, const std::string& body) {
  BuildRequest request;
  request.budget.max_input_tokens = 100'000;
  const auto built = door(ContextManager(), body, request);
  if (!built) {
    ADD_FAILURE() << built.error().message << "\n" << body.substr(0, 300);
    return -1;
  }
  const auto receipt = from_json<ContextUtilizationMetadata>(built->metadata);
  return receipt->input_tokens_used + receipt->tools_tokens;
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word" + std::to_string(i) + " ";
  return text;
}

/// Each field as a member of a request that is complete without it; those that begin with '{' are whole requests.
void expect_counted(Door door, const std::string& rest, const std::vector<std::string>& fields) {
  const auto text = words(200);
  const auto tokens = make_approximate_token_counter()->count(text);
  for (const auto& field : fields) {
    const auto body = field.front() == '{' ? field : "{" + field + "," + rest + "}";
    EXPECT_GE(counted(door, with(body, text)), counted(door, with(body, "a")) + tokens * 9 / 10) << field;
    BuildRequest small;
    small.budget.max_input_tokens = tokens / 2;
    const auto built = door(ContextManager(), with(body, text), small);
    if (built) {
      EXPECT_LT(built->body.size(), text.size()) << field;
    }
  }
}

void expect_uncounted(Door door, const std::string& rest, const std::vector<std::string>& fields) {
  for (const auto& field : fields) {
    const auto body = "{" + field + "," + rest + "}";
    EXPECT_LE(counted(door, with(body, words(60))), counted(door, with(body, "a")) + 1) << field;
  }
}

const std::string question = R"({"role":"user","content":"hi"})";

TEST(SentFieldsTest, OfAChatRequestEveryFieldCounts) {
  const auto list = [](const std::string& before, const std::string& after = "") {
    return R"({"messages":[)" + before + question + (after.empty() ? "" : ",") + after + "]}";
  };
  const std::string call = R"({"role":"assistant","content":null,"tool_calls":[)";
  const std::string result = R"({"role":"tool","tool_call_id":"c","content":"r"},)";
  expect_counted(
      chat, R"("messages":[)" + question + "]",
      {R"("functions":[{"name":"f","description":"$","parameters":{"type":"object"}}])",
       R"("functions":[{"name":"f","parameters":{"type":"object","properties":{"a":{"description":"$"}}}}])",
       R"("function_call":{"name":"$"})",
       R"("response_format":{"type":"json_schema","json_schema":{"name":"n","description":"$"}})",
       R"("response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"enum":["$"]}}})",
       R"("response_format":{"type":"grammar","grammar":"$"})",
       R"("prediction":{"type":"content","content":"$"})",
       R"("prediction":{"type":"content","content":[{"type":"text","text":"$"}]})",
       R"("stop":["$"])",
       R"("stop":"$")",
       R"("web_search_options":{"user_location":{"approximate":{"city":"$"}}})",
       R"("tools":[{"type":"function","function":{"name":"f","description":"$"}}])",
       R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","title":"$"}}}])",
       R"("tools":[{"type":"custom","custom":{"name":"f","format":{"type":"grammar","grammar":{"definition":"$"}}}}])",
       R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"tools":[{"name":"$"}]}})",
       R"("guided_grammar":"$")",
       R"("chat_template":"$")",
       R"("input":"$")",
       list(R"({"role":"system","content":"$"},)"),
       list(R"({"role":"developer","content":"$"},)"),
       list(R"({"role":"user","name":"$","content":"a"},)"),
       list(R"({"role":"user","content":[{"type":"text","text":"$"}]},)"),
       list(R"({"role":"user","content":[{"type":"text","text":"a","annotations":[{"title":"$"}]}]},)"),
       list(R"({"role":"user","content":[{"type":"novelty","of_a_service":"$"}]},)"),
       list(R"({"role":"assistant","content":"$"},)"),
       list(R"({"role":"assistant","content":null,"refusal":"$"},)"),
       list(R"({"role":"assistant","content":[{"type":"refusal","refusal":"$"}]},)"),
       list(R"({"role":"assistant","content":"a","reasoning_content":"$"},)"),
       list(call + R"({"id":"c","type":"function","function":{"name":"f","arguments":"$"}}]},)" + result),
       list(call + R"({"id":"c","type":"function","function":{"name":"$","arguments":"{}"}}]},)" + result),
       list(call + R"({"id":"c","type":"custom","custom":{"name":"f","input":"$"}}]},)" + result),
       list(call + R"({"id":"c","type":"function","extra_content":{"thought":"$"},"function":{"name":"f"}}]},)" +
            result),
       list(R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"$"}},
               {"role":"function","name":"f","content":"r"},)"),
       list(R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f",
               "arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"$"},)"),
       list(R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f",
               "arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"$"}]},)")});
  expect_uncounted(
      chat, R"("messages":[)" + question + "]",
      {R"("user":"$")", R"("metadata":{"a":"$"})", R"("safety_identifier":"$")", R"("prompt_cache_key":"$")"});
}

TEST(SentFieldsTest, OfAnAnthropicRequestEveryFieldCounts) {
  const auto list = [](const std::string& before) { return R"({"messages":[)" + before + question + "]}"; };
  const auto said = [&](const std::string& block) {
    return list(question + R"(,{"role":"assistant","content":[)" + block + "]},");
  };
  const auto answered = [&](const std::string& content) {
    return list(question + R"(,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":)" +
                content + "}]},");
  };
  expect_counted(
      messages, R"("messages":[)" + question + "]",
      {R"("system":"$")",
       R"("system":[{"type":"text","text":"$"}])",
       R"("output_format":{"type":"json_schema","schema":{"description":"$"}})",
       R"("output_config":{"format":{"schema":{"title":"$"}}})",
       R"("mcp_servers":[{"type":"url","name":"n","url":"$"}])",
       R"("mcp_servers":[{"type":"url","name":"n","url":"u","tool_configuration":{"allowed_tools":["$"]}}])",
       R"("stop_sequences":["$"])",
       R"("container":{"id":"i","skills":[{"type":"custom","version":"$"}]})",
       R"("context_management":{"edits":[{"type":"compact","instructions":"$"}]})",
       R"("tools":[{"name":"f","description":"$","input_schema":{"type":"object"}}])",
       R"("tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"description":"$"}}}}])",
       R"("tools":[{"name":"f","input_schema":{"type":"object"},"input_examples":[{"a":"$"}]}])",
       R"("tools":[{"type":"web_search_20250305","name":"web_search","allowed_domains":["$"]}])",
       R"("tool_choice":{"type":"tool","name":"$"})",
       list(R"({"role":"user","content":"$"},)"),
       list(R"({"role":"user","content":[{"type":"text","text":"$"}]},)"),
       list(R"({"role":"user","content":[{"type":"document","source":{"type":"text","data":"$"}}]},)"),
       list(R"({"role":"user","content":[{"type":"document","title":"$","source":{"type":"url","url":"u"}}]},)"),
       list(R"({"role":"user","content":[{"type":"document","context":"$","source":{"type":"url","url":"u"}}]},)"),
       list(R"({"role":"user","content":[{"type":"search_result","title":"$","source":"s","content":[]}]},)"),
       list(R"({"role":"user","content":[{"type":"search_result","title":"t","source":"s",
               "content":[{"type":"text","text":"$"}]}]},)"),
       said(R"({"type":"text","text":"$"})"),
       said(R"({"type":"text","text":"a","citations":[{"cited_text":"$"}]})"),
       said(R"({"type":"thinking","thinking":"$","signature":"s"},{"type":"text","text":"a"})"),
       said(
           R"({"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"$"}},
              {"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"a"})"),
       said(
           R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":"$"}]},{"type":"text","text":"a"})"),
       list(question + R"(,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":"$"}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]},)"),
       answered(R"("$")"),
       answered(R"([{"type":"text","text":"$"}])"),
       answered(R"([{"type":"search_result","title":"$","source":"s","content":[]}])")});
  expect_uncounted(messages, R"("messages":[)" + question + "]",
                   {R"("metadata":{"user_id":"$"})", R"("container":{"id":"$"})"});
}

TEST(SentFieldsTest, OfAResponsesRequestEveryFieldCounts) {
  const auto list = [](const std::string& items) { return R"({"input":[)" + items + "," + question + "]}"; };
  const auto called = [&](const std::string& call, const std::string& output) {
    return list(question + "," + call + "," + output);
  };
  const std::string call = R"({"type":"function_call","call_id":"c","name":"f","arguments":"{}"})";
  const std::string output = R"({"type":"function_call_output","call_id":"c","output":"r"})";
  expect_counted(
      responses, R"("input":"hi")",
      {R"("instructions":"$")",
       R"("text":{"format":{"type":"json_schema","name":"n","schema":{"description":"$"}}})",
       R"("text":{"format":{"type":"json_schema","name":"n","description":"$","schema":{}}})",
       R"("prompt":{"id":"p","variables":{"a":"$"}})",
       R"("prompt":{"id":"p","variables":{"a":{"type":"input_text","text":"$"}}})",
       R"("tools":[{"type":"function","name":"f","description":"$","parameters":{"type":"object"}}])",
       R"("tools":[{"type":"function","name":"f","parameters":{"type":"object","title":"$"}}])",
       R"("tools":[{"type":"mcp","server_label":"l","server_description":"$"}])",
       R"("tools":[{"type":"file_search","filters":{"value":"$"}}])",
       R"("tool_choice":{"type":"function","name":"$"})",
       R"("tool_choice":{"type":"allowed_tools","tools":[{"name":"$"}]})",
       R"({"input":"$"})",
       list(R"({"role":"user","content":"$"})"),
       list(R"({"role":"developer","content":"$"})"),
       list(R"({"role":"user","content":[{"type":"input_text","text":"$"}]})"),
       list(question + R"(,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"$"}]})"),
       list(question + R"(,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a",
            "annotations":[{"type":"url_citation","title":"$"}]}]})"),
       list(question + R"(,{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"$"}]})"),
       list(question + R"(,{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"$"}]},
            {"type":"message","role":"assistant","content":"a"})"),
       list(question + R"(,{"type":"web_search_call","id":"w","action":{"type":"search","query":"$"}})"),
       list(question + R"(,{"type":"file_search_call","id":"w","queries":[],"results":[{"text":"$"}]})"),
       list(question + R"(,{"type":"mcp_call","id":"m","name":"n","arguments":"{}","output":"$"})"),
       list(question + R"(,{"type":"code_interpreter_call","id":"i","code":"$","outputs":[]})"),
       called(R"({"type":"function_call","call_id":"c","name":"f","arguments":"$"})", output),
       called(R"({"type":"function_call","call_id":"c","name":"$","arguments":"{}"})", output),
       called(R"({"type":"custom_tool_call","call_id":"c","name":"f","input":"$"})",
              R"({"type":"custom_tool_call_output","call_id":"c","output":"r"})"),
       called(R"({"type":"local_shell_call","call_id":"c","action":{"type":"exec","command":["$"]}})",
              R"({"type":"local_shell_call_output","id":"c","call_id":"c","output":"r"})"),
       called(call, R"({"type":"function_call_output","call_id":"c","output":"$"})"),
       called(call, R"({"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"$"}]})")});
  expect_uncounted(
      responses, R"("input":"hi")",
      {R"("user":"$")", R"("metadata":{"a":"$"})", R"("previous_response_id":"$")", R"("conversation":{"id":"$"})",
       R"("prompt":{"id":"$"})", R"("safety_identifier":"$")", R"("prompt_cache_key":"$")"});
}

TEST(SentFieldsTest, MediaInOtherFieldsCountByTheirRule) {
  const std::string data(400'000, 'A');
  const auto body =
      R"({"model":"gpt-4o","input":"hi","prompt":{"id":"p","variables":{"a":{"type":"input_image","image_url":
                        "data:image/png;base64,)" +
      data + R"("}}}})";
  const auto tokens = counted(responses, body);
  EXPECT_GT(tokens, 200);
  EXPECT_LT(tokens, 10'000);
}

}  // namespace
}  // namespace ctxmgr
