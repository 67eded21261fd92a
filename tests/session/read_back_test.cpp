#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::words;

/// An agent that reads file after file, its state and its session kept.
class Reader {
 public:
  Reader() {
    options_.session_id = "reader";
    options_.store = make_memory_key_value_store();
    session_ = ContextStore::open(options_).value();
    request_.archive = session_;
    context_.conversation_history = {{Role::user, "Read the modules, one by one."}};
  }

  void step(int i, std::size_t length) {
    const auto id = "call" + std::to_string(i);
    auto& messages = context_.conversation_history;
    messages.push_back({Role::assistant, "I read module" + std::to_string(i) + " next."});
    messages.back().tool_calls.push_back({id, "read", R"({"path":"src/module)" + std::to_string(i) + R"(.cpp"})"});
    messages.push_back(testing::tool_result(id, "heliotrope" + std::to_string(i) + "\n" + words(length, id + "_")));
  }

  Result<BuiltContext> build(std::int64_t budget) {
    request_.budget.max_input_tokens = budget;
    auto built = manager_.build(context_, request_);
    if (built) request_.thread_state = built->thread_state;
    return built;
  }

  ContextStore& session() { return *session_; }
  Context& context() { return context_; }
  BuildRequest& request() { return request_; }

 private:
  ContextStoreOptions options_;
  std::shared_ptr<ContextStore> session_;
  Context context_;
  BuildRequest request_;
  ContextManager manager_;
};

std::set<std::string> keys_shown(const std::vector<ConversationMessage>& messages) {
  const std::string opening = "get_context(\"";
  std::set<std::string> keys;
  const auto text = testing::all_text(messages);
  for (auto at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    keys.insert(text.substr(at, text.find('"', at) - at));
  }
  return keys;
}

RC_GTEST_PROP(ReadBackTest, WhatIsShownCanBeReadNowAndFiftyBuildsLater, ()) {
  Reader reader;
  const auto budget = *rc::gen::inRange<std::int64_t>(1'500, 6'000);
  std::set<std::string> shown;
  for (int i = 0; i < 52; ++i) {
    reader.step(i, *rc::gen::inRange<std::size_t>(1, 500));
    const auto built = reader.build(budget);
    RC_ASSERT(built.has_value());
    for (const auto& key : keys_shown(built->messages)) shown.insert(key);
    for (const auto& key : keys_shown(built->messages)) RC_ASSERT(reader.session().get(key)->has_value());
  }
  for (const auto& key : shown) RC_ASSERT(reader.session().get(key)->has_value());
}

TEST(ReadBackTest, SearchFindsWhatWasCut) {
  Reader reader;
  for (int i = 0; i < 40; ++i) {
    reader.step(i, i % 2 == 0 ? 300 : 20);
    ASSERT_TRUE(reader.build(3'000));
  }
  for (const int i : {2, 3, 10, 11}) {
    const auto name = "heliotrope" + std::to_string(i);
    const auto hits = reader.session().search(name);
    ASSERT_TRUE(hits);
    ASSERT_FALSE(hits->empty()) << name;
    const auto text = reader.session().get(hits->front().key);
    EXPECT_TRUE(testing::contains(text->value().value, name)) << name;
  }
  const auto said = reader.session().search("I read module3 next");
  ASSERT_TRUE(said);
  ASSERT_FALSE(said->empty()) << "texts of the assistant are found, too";
}

TEST(ReadBackTest, AHandleTakesFewTokens) {
  Reader reader;
  const auto handle = reader.session().reference_of(make_document("d", words(100)));
  EXPECT_LE(handle.size(), std::string(R"(get_context("artifact:"))").size() + 16);
}

}  // namespace
}  // namespace ctxmgr
