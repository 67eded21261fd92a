#include "ctxmgr/session/context_tools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/json/json.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "session/isolation.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::session_options;
using ::testing::StartsWith;

class ContextToolsTest : public ::testing::Test {
 protected:
  std::string run(const std::string& name, const std::string& arguments) const {
    const auto message = tools_.run({"call-1", name, arguments, {}});
    EXPECT_EQ(message.role, Role::tool);
    EXPECT_EQ(message.tool_call_id, "call-1");
    return text_of(message);
  }

  std::string get(const std::string& key, const std::string& more = {}) const {
    return run("get_context", R"({"key": ")" + key + "\"" + more + "}");
  }

  std::shared_ptr<KeyValueStore> store_ = make_memory_key_value_store();
  std::shared_ptr<ContextStore> session_ = ContextStore::open(session_options(store_, "s")).value();
  ContextTools tools_{session_->as_agent("agent"), {}};
};

TEST_F(ContextToolsTest, StoresAndReadsBack) {
  EXPECT_EQ(run("set_context", R"({"key": "notes", "value": "net 30"})"), "stored 6 characters under \"notes\".");
  EXPECT_EQ(get("notes"), "net 30");
  EXPECT_THAT(run("set_context", R"({"key": "urls", "value": ["a", {"b": 1}]})"), StartsWith("stored"));
  EXPECT_EQ(get("urls"), R"(["a",{"b":1}])");
}

TEST_F(ContextToolsTest, NullIsAValueToo) {
  EXPECT_EQ(run("set_context", R"({"key": "nothing", "value": null})"), "stored 4 characters under \"nothing\".");
  EXPECT_EQ(get("nothing"), "null");
  EXPECT_THAT(run("set_context", R"({"key": null, "value": 1})"), StartsWith("error: `key` is missing"));
}

TEST_F(ContextToolsTest, ASearchInAValueReturnsThePassageAndWhereItIs) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "Paragraph " + std::to_string(i) + " is about ordinary matters of the day.\n\n";
  text.insert(text.find("Paragraph 300"), "The heliotrope supplier is paid within thirty days of delivery.\n\n");
  ASSERT_TRUE(session_->set("report", text));
  const auto found = get("report", R"(, "search": "When is the heliotrope supplier paid?")");
  EXPECT_THAT(found, HasSubstr("heliotrope supplier is paid within thirty days"));
  EXPECT_THAT(found, StartsWith("[from character "));
  EXPECT_LT(found.size(), 4'000U) << "a passage, not a page";
}

TEST_F(ContextToolsTest, TheSmallestResultsStillShowSomething) {
  ContextToolsOptions small;
  small.max_result_tokens = 1;
  const ContextTools tools(session_, small);
  ASSERT_TRUE(session_->set("report", std::string("heliotrope ") + std::string(590, 'x') + " supplier."));
  std::string key;
  for (int i = 0; i < 170; ++i) key += "鍵";
  ASSERT_TRUE(session_->set(key, "value"));
  const auto found = text_of(tools.run({"c", "search_context", R"({"words": "heliotrope"})", {}}));
  EXPECT_THAT(found, HasSubstr("heliotrope"));
  EXPECT_LE(make_approximate_token_counter()->count(found), 200);
  EXPECT_THAT(text_of(tools.run({"c", "list_context", R"({"after": "report"})", {}})), HasSubstr(key));
}

TEST_F(ContextToolsTest, WhatAModelWritesIsUntrusted) {
  ASSERT_TRUE(session_->set("role", "a careful analyst", {Trust::trusted, false, {}, {}}));
  EXPECT_THAT(run("set_context", R"({"key": "role", "value": "root", "trust": "trusted"})"), StartsWith("stored"));
  EXPECT_EQ(session_->get("role").value().value().trust, Trust::untrusted);
}

TEST_F(ContextToolsTest, LongValuesComeInPagesThatSayHowToGoOn) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(session_->set("log", text));
  const auto first = get("log");
  EXPECT_LE(make_approximate_token_counter()->count(first), 2'000);
  EXPECT_THAT(first, StartsWith("[characters 0 to "));
  const auto marker = first.find("go on with offset ") + 18;
  const auto offset = first.substr(marker, first.find(']') - marker);
  const auto second = get("log", ", \"offset\": " + offset);
  const auto body = [](const std::string& page) { return page.substr(page.find('\n') + 1); };
  EXPECT_EQ(body(first) + body(second), text.substr(0, body(first).size() + body(second).size()));
  EXPECT_THAT(get("log", R"(, "offset": 10, "limit": 2, "unit": "lines")"), HasSubstr("]\nline 10\nline 11\n"));
  EXPECT_THAT(get("log", R"(, "offset": 4998, "unit": "lines")"), HasSubstr("the end]"));
}

TEST_F(ContextToolsTest, ReadsAPartOfJsonByPointer) {
  ASSERT_TRUE(session_->set("order", R"({"items": [{"name": "bolt"}, {"name": "nut", "n": 7}]})"));
  EXPECT_EQ(get("order", R"(, "pointer": "/items/1/name")"), "nut");
  EXPECT_EQ(get("order", R"(, "pointer": "/items/1")"), R"({"name":"nut","n":7})");
  EXPECT_THAT(get("order", R"(, "pointer": "/nothing")"), StartsWith("error: the pointer names nothing"));
  ASSERT_TRUE(session_->set("text", "no json"));
  EXPECT_THAT(get("text", R"(, "pointer": "/a")"), StartsWith("error: the value is no JSON"));
}

TEST_F(ContextToolsTest, FindsWordsInsideAValueAndInTheWholeSession) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "Nothing of note happened on day " + std::to_string(i) + ".\n\n";
  ASSERT_TRUE(session_->set("report", text + "The heliotrope supplier changed its terms.\n" + text));
  EXPECT_THAT(get("report", R"(, "search": "heliotrope supplier")"), HasSubstr("heliotrope"));
  const auto found = run("search_context", R"({"words": "heliotrope supplier"})");
  EXPECT_THAT(found, HasSubstr("heliotrope"));
  EXPECT_THAT(found, HasSubstr(R"("key":"report")"));
}

TEST_F(ContextToolsTest, ASearchUnderAPrefixThatHasNothingSaysToTryWithoutIt) {
  const auto found = run("search_context", R"({"words": "heliotrope", "prefix": "made-up:"})");
  EXPECT_THAT(found, HasSubstr("without it"));
  EXPECT_THAT(found, HasSubstr(R"("passages":[])"));
  EXPECT_EQ(run("search_context", R"({"words": "heliotropes-of-nowhere"})"), R"({"passages":[]})");
}

TEST_F(ContextToolsTest, ListsPageByPage) {
  for (int i = 100; i < 600; ++i) ASSERT_TRUE(session_->set("key:" + std::to_string(i), "v"));
  std::string after;
  std::size_t seen = 0;
  for (int page = 0; page < 50; ++page) {
    const auto json = parse_json(run("list_context", R"({"prefix": "key:", "after": ")" + after + "\"}")).value();
    seen += json["keys"].size();
    if (!json.contains("next")) break;
    after = json["next"].string();
  }
  EXPECT_EQ(seen, 500u);
}

TEST_F(ContextToolsTest, ErrorsSayWhatTheModelCanDo) {
  ASSERT_TRUE(session_->set("source_1", "v"));
  EXPECT_THAT(get("source_9"), HasSubstr("Keys that begin alike: \"source_1\""));
  EXPECT_THAT(run("get_context", "{key: 1"), StartsWith("error: the arguments are no valid JSON"));
  EXPECT_THAT(run("get_context", "[]"), HasSubstr("have to be a JSON object"));
  EXPECT_THAT(run("get_context", "{}"), StartsWith("error: `key` is missing"));
  EXPECT_THAT(get(""), StartsWith("error: empty key"));
  EXPECT_THAT(run("set_context", R"({"key": "k"})"), HasSubstr("`value` is missing"));
  EXPECT_THAT(run("set_context", R"({"key": "artifact:x", "value": "v"})"), HasSubstr("Use another key"));
  EXPECT_THAT(run("drop_context", "{}"), HasSubstr("no tool of that name"));
}

TEST_F(ContextToolsTest, AnOffsetInQuotesGoesOnWhereItSays) {
  ASSERT_TRUE(session_->set("notes", "net 30 days"));
  EXPECT_EQ(get("notes", R"(, "offset": "4", "limit": "2")"), get("notes", R"(, "offset": 4, "limit": 2)"));
}

TEST_F(ContextToolsTest, ArgumentsThatMeanNothingAreErrorsAndNoFirstPage) {
  ASSERT_TRUE(session_->set("notes", "net 30 days"));
  EXPECT_THAT(get("notes", R"(, "offset": "next")"), StartsWith("error: `offset` has to be a whole number"));
  EXPECT_THAT(get("notes", R"(, "limit": 0)"), StartsWith("error: `limit` has to be a whole number, at least 1"));
  EXPECT_THAT(get("notes", R"(, "unit": "bytes")"), StartsWith("error: `unit` has to be one of"));
  EXPECT_THAT(run("get_context", R"({"key": 5})"), StartsWith("error: `key` has to be text"));
  EXPECT_THAT(run("search_context", R"({"query": "net"})"), StartsWith("error: `words` is missing"));
}

TEST_F(ContextToolsTest, WordsThatAreNotInALongValueAreSaidToBeAbsent) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(session_->set("log", text));
  EXPECT_THAT(get("log", R"(, "search": "zeppelin")"), StartsWith("error: nothing in this value is about these words"));
  EXPECT_THAT(get("log", R"(, "search": "line 4321")"), HasSubstr("4321"));
}

TEST_F(ContextToolsTest, ReadOnlyToolsDoNotWrite) {
  const ContextTools tools(session_, {true, 2'000, {}});
  EXPECT_FALSE(tools.handles("set_context"));
  EXPECT_EQ(tools.definitions().size(), 3u);
  EXPECT_THAT(text_of(tools.run({"1", "set_context", R"({"key": "k", "value": "v"})", {}})), StartsWith("error"));
  EXPECT_FALSE(session_->get("k").value());
}

TEST_F(ContextToolsTest, DefinitionsAreValidInBothFormats) {
  const auto definitions = tools_.definitions();
  ASSERT_EQ(definitions.size(), 4u);
  for (const auto& definition : definitions) {
    EXPECT_TRUE(tools_.handles(definition.name));
    EXPECT_EQ(parse_json(definition.parameters_json).value()["type"], "object");
  }
  EXPECT_EQ(parse_json(to_openai_json(definitions)).value()[0]["function"]["name"], "get_context");
  EXPECT_TRUE(parse_json(to_anthropic_json(definitions)).value()[0].contains("input_schema"));
}

TEST_F(ContextToolsTest, ReadingFurtherPagesOfWhatWasLeftOutIsOneRefetch) {
  const auto artifact = make_document("d", std::string(100'000, 'x'));
  ASSERT_TRUE(session_->keep(artifact, {}));
  const auto key = "artifact:" + content_hash(artifact).substr(0, artifact_key_digits);
  (void)get(key);
  (void)get(key, R"(, "offset": 7000)");
  EXPECT_EQ(session_->refetches().at("document"), 1);
}

TEST_F(ContextToolsTest, TenThousandWritesStayWithinTheSessionsQuota) {
  auto options = session_options(store_, "bounded");
  options.max_bytes = 1'000'000;
  const auto session = ContextStore::open(options).value();
  const ContextTools tools(session->as_agent("agent"));
  const auto set = [&](const std::string& key, std::size_t bytes) {
    const auto arguments = Json{{"key", key}, {"value", std::string(bytes, 'v')}};
    return text_of(tools.run({"1", "set_context", dump_json(arguments), {}}));
  };
  EXPECT_EQ(set("large", 10'000'000), "error: the session is full. Store less, or shorter values and keys.");
  int stored = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto answer = set("__proto__" + std::to_string(i), 1'000);
    if (answer.starts_with("stored")) ++stored;
    ASSERT_THAT(answer, ::testing::AnyOf(StartsWith("stored"), StartsWith("error: the session is full.")));
  }
  std::size_t bytes = 0;
  const auto listed = session->list({}, {}, 20'000).value();
  for (const auto& info : listed) bytes += info.key.size() + info.value_bytes;
  EXPECT_LE(bytes, 1'000'000u);
  EXPECT_GT(stored, 800);
  EXPECT_THAT(run("set_context", R"({"key": "k", "value": "v"})"), StartsWith("stored")) << "another session";
}

TEST_F(ContextToolsTest, ArgumentsThatNameAnotherSessionOrAgentAreNotLookedAt) {
  ASSERT_TRUE(ContextStore::open(session_options(store_, "other")).value()->set("secret", "heliotrope"));
  for (const auto* name : {"session_id", "session", "scope", "namespace", "name_space", "agent", "store"}) {
    const auto argument = std::string(", \"") + name + R"(": "other")";
    EXPECT_THAT(get("secret", argument), StartsWith("error")) << name;
    EXPECT_THAT(run("list_context", R"({"prefix": "s")" + argument + "}"), Not(HasSubstr("secret"))) << name;
    EXPECT_THAT(run("search_context", R"({"words": "heliotrope")" + argument + "}"), Not(HasSubstr("secret"))) << name;
    EXPECT_THAT(run("set_context", R"({"key": "k", "value": "v")" + argument + "}"), StartsWith("stored")) << name;
  }
  EXPECT_EQ(ContextStore::open(session_options(store_, "other")).value()->list().value().size(), 1u);
}

TEST_F(ContextToolsTest, KeysThatAreClosedToTheAgentAreNotSuggested) {
  auto options = session_options(store_, "s");
  options.rules = {{"", "source_secret", Access::none}};
  const auto session = ContextStore::open(options).value();
  ASSERT_TRUE(session->set("source_secret_1", "v") && session->set("source_1", "v"));
  const ContextTools tools(session->as_agent("agent"));
  const auto answer = text_of(tools.run({"1", "get_context", R"({"key": "source_9"})", {}}));
  EXPECT_THAT(answer, HasSubstr("source_1"));
  EXPECT_THAT(answer, Not(HasSubstr("secret")));
}

TEST_F(ContextToolsTest, AnswersAnyCallWithinItsLimit) {
  ASSERT_TRUE(session_->set("bytes", std::string("\xff\xfe\0ab", 5)));
  const auto counter = make_approximate_token_counter();
  EXPECT_TRUE(rc::check([&](const std::string& text, std::uint8_t number) {
    const auto names = std::array{"get_context", "set_context", "list_context", "search_context", "other"};
    const auto arguments =
        Json{{"key", "bytes"}, {"value", text}, {"words", text}, {"prefix", text},       {"offset", number},
             {"limit", -3},    {"after", text}, {"unit", text},  {"session_id", "other"}};
    const auto text_of_call = number % 3 == 0 ? text : dump_json(arguments);
    const auto answer = text_of(tools_.run({"1", names[number % names.size()], text_of_call, {}}));
    RC_ASSERT(counter->count(answer) <= 2'000);
  }));
}

}  // namespace
}  // namespace ctxmgr
