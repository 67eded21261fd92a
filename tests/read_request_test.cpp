#include "read_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"

namespace ctxmgr {
namespace {

using engine::ListForm;

/// A request of one of the three forms, message for message as its client writes it.
struct Written {
  ListForm form = ListForm::chat;
  std::vector<std::string> messages{};
  std::string instructions = "Be brief.";
  std::string space{};  ///< Between messages.

  [[nodiscard]] std::string list() const { return form == ListForm::responses ? "input" : "messages"; }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& message : messages) all.append(all.empty() ? "" : "," + space).append(message);
    const std::string beside = form == ListForm::chat       ? R"("n":1)"
                               : form == ListForm::messages ? R"("system":")" + instructions + '"'
                                                            : R"("instructions":")" + instructions + '"';
    return R"({"model":"gpt-4o",)" + beside + ",\"" + list() + "\":[" + all + space + R"(],"temperature":1})";
  }
};

class Conversation {
 public:
  Conversation(ListForm form, unsigned seed) : random_(seed) {
    written_.form = form;
    if (form == ListForm::chat) add(R"({"role":"system","content":"Be brief."})");
    grow();
  }

  [[nodiscard]] const Written& written() const { return written_; }

  /// A step of an agent: a question, or a call with its result.
  void grow() {
    const auto number = std::to_string(count_++);
    const auto words =
        "Entry " + number + " of ledger " + std::to_string(below(9)) + (below(2) == 0 ? " \\u00e9" : " é");
    if (below(3) == 0) return ask(words);
    if (below(4) == 0) return call_of_old_form(number);
    call(number, words);
  }

  /// What clients and people do to a request between two: mostly they go on.
  void edit() {
    auto& messages = written_.messages;
    switch (below(9)) {
      case 0: messages.erase(messages.begin() + below(messages.size())); break;
      case 1: messages.push_back(messages[below(messages.size())]); break;
      case 2: messages.resize(1 + below(messages.size())); break;
      case 3: below(3) == 0 ? written_.instructions.clear() : written_.instructions.push_back('!'); break;
      case 4: written_.space = below(2) == 0 ? " " : "\n\t"; break;
      case 5: flip(messages[below(messages.size())]); break;
      default: break;
    }
    const auto steps = 1 + below(3);
    for (std::size_t i = 0; i < steps; ++i) grow();
  }

  /// One byte: of a figure or a word, or what makes it no JSON.
  void flip(std::string& text) { text[below(text.size())] = "0aZ,\"{}\\"[below(8)]; }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  void add(std::string message) { written_.messages.push_back(std::move(message)); }

  void ask(const std::string& words) {
    add(R"({"role":"user","content":")" + words + R"("})");
    add(R"({"role":"assistant","content":"Noted )" + words + R"("})");
    add(R"({"role":"user","content":[{"type":"text","text":"And then?"}]})");
    if (written_.form == ListForm::responses) written_.messages.back() = R"({"role":"user","content":"And then?"})";
  }

  void call_of_old_form(const std::string& number) {
    if (written_.form != ListForm::chat || below(4) != 0) return ask(number);
    add(R"({"role":"assistant","content":null,"function_call":{"name":"find","arguments":"{}"}})");
    add(R"({"role":"function","name":"find","content":"Found )" + number + R"("})");
  }

  void call(const std::string& number, const std::string& words) {
    const auto id = "call_" + number;
    if (written_.form == ListForm::chat) {
      add(R"({"role":"assistant","content":null,"tool_calls":[{"id":")" + id +
          R"(","type":"function","function":{"name":"find","arguments":"{\"n\":)" + number + R"(}"}}]})");
      add(R"({"role":"tool","tool_call_id":")" + id + R"(","content":")" + words + R"("})");
    } else if (written_.form == ListForm::messages) {
      add(R"({"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":")" + id +
          R"(","name":"find","input":{"n":)" + number + "}}]}");
      add(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":")" + id + R"(","content":")" + words +
          R"("},{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]})");
    } else {
      add(R"({"type":"reasoning","id":"rs_)" + number + R"(","summary":[],"encrypted_content":"x"})");
      add(R"({"type":"function_call","call_id":")" + id + R"(","name":"find","arguments":"{}"})");
      if (below(2) == 0) add(R"({"type":"message","role":"assistant","content":"I look."})");
      add(R"({"type":"function_call_output","call_id":")" + id + R"(","output":")" + words + R"("})");
    }
  }

  std::mt19937 random_;
  std::size_t count_ = 0;
  Written written_;
};

ContextManager manager_with(std::size_t bytes) {
  ContextManagerOptions options;
  options.analysis_cache_bytes = bytes;
  return ContextManager(std::move(options));
}

/// The body that is sent, or the error.
std::string built(const ContextManager& manager, ListForm form, const std::string& body, ThreadState& state) {
  BuildRequest request;
  request.budget.max_input_tokens = 400;
  request.thread_state = state;
  const auto sent = form == ListForm::chat       ? build_openai(manager, body, request)
                    : form == ListForm::messages ? build_anthropic(manager, body, request)
                                                 : build_responses(manager, body, request);
  if (!sent) return "error: " + sent.error().message;
  state = sent->thread_state;
  return sent->body + state.opaque;
}

class ReadRequestTest : public ::testing::TestWithParam<ListForm> {};

TEST_P(ReadRequestTest, WithMemoryTheSameBytesAreSentWhateverIsEdited) {
  const auto remembers = manager_with(std::size_t{64} << 20);
  const auto forgets = manager_with(0);
  for (unsigned seed = 0; seed < 60; ++seed) {
    Conversation conversation(GetParam(), seed);
    ThreadState warm;
    ThreadState cold;
    for (int step = 0; step < 12; ++step) {
      const auto body = conversation.written().text();
      ASSERT_EQ(built(remembers, GetParam(), body, warm), built(forgets, GetParam(), body, cold))
          << "seed " << seed << ", step " << step << ": " << body;
      conversation.edit();
    }
  }
}

TEST_P(ReadRequestTest, OnlyWhatIsNewIsRead) {
  const auto manager = manager_with(std::size_t{1} << 20);
  auto& lists = lists_of(manager);
  Written written{GetParam()};
  const auto word = [](int i) { return R"({"role":"user","content":"Word )" + std::to_string(i) + R"("})"; };
  for (int i = 0; i < 50; ++i) written.messages.push_back(word(i));
  ThreadState state;
  EXPECT_FALSE(lists.take(GetParam(), written.text(), written.list())) << "of a request that nobody read";
  ASSERT_THAT(built(manager, GetParam(), written.text(), state), ::testing::Not(::testing::HasSubstr("error")));
  written.messages.push_back(word(50));
  const auto rest = lists.take(GetParam(), written.text(), written.list());
  ASSERT_TRUE(rest);
  auto only_new = written;
  only_new.messages = {word(50)};
  EXPECT_EQ(rest->text, only_new.text());
  EXPECT_EQ(rest->read.elements.size(), 50U);
}

TEST_P(ReadRequestTest, AnEditedBeginningIsReadAnewFromTheEditOn) {
  const auto manager = manager_with(std::size_t{1} << 20);
  auto& lists = lists_of(manager);
  Written written{GetParam()};
  for (int i = 0; i < 50; ++i)
    written.messages.push_back(R"({"role":"user","content":"Word )" + std::to_string(i) + R"("})");
  ThreadState state;
  static_cast<void>(built(manager, GetParam(), written.text(), state));
  written.messages[40][25] = 'w';
  const auto rest = lists.take(GetParam(), written.text(), written.list());
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->read.elements.size(), 40U);
  EXPECT_EQ(std::count(rest->text.begin(), rest->text.end(), 'w'), 1);
}

TEST_P(ReadRequestTest, WhatIsKeptHasABoundAndTheOldestGoes) {
  const auto manager = manager_with(std::size_t{64} << 10);
  auto& lists = lists_of(manager);
  const auto of = [](int number) {
    Written written{GetParam()};
    written.messages.push_back(R"({"role":"user","content":")" + std::to_string(number) + std::string(8'000, 'x') +
                               R"("})");
    return written;
  };
  for (int i = 0; i < 20; ++i) {
    ThreadState none;
    static_cast<void>(built(manager, GetParam(), of(i).text(), none));
  }
  EXPECT_FALSE(lists.take(GetParam(), of(0).text(), of(0).list()));
  EXPECT_TRUE(lists.take(GetParam(), of(19).text(), of(19).list()));
}

INSTANTIATE_TEST_SUITE_P(Forms, ReadRequestTest,
                         ::testing::Values(ListForm::chat, ListForm::messages, ListForm::responses));

}  // namespace
}  // namespace ctxmgr
