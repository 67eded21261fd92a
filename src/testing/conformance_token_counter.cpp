#include <algorithm>
#include <string_view>

#include "ctxmgr/testing/conformance.hpp"
#include "testing/promises.hpp"

namespace ctxmgr::testing {
namespace {

using namespace std::string_view_literals;

// Words, scripts, bytes that are not UTF-8, NUL, special tokens of several models.
constexpr std::string_view texts[] = {"a",
                                      "Hello, world",
                                      "  \n\t",
                                      "žluťoučký kůň",
                                      "東京 漢字かな交じり文",
                                      "🐴👩‍👩‍👧",
                                      "\xFF\xC3("sv,
                                      "\xE2\x82"sv,
                                      "a\0b"sv,
                                      "<|endoftext|>",
                                      "<s>[INST] <<SYS>>",
                                      "{\"a\": [1, 2.5e3]}",
                                      "def f(x):\n    return x\n"};

void check_text(Promises& promises, const TokenCounter& counter, std::string_view text) {
  const auto tokens = counter.count(text);
  promises.expect(tokens >= 0, "count is negative");
  promises.expect(tokens == counter.count(text), "the same text has two counts");
  promises.expect(counter.count_up_to(text, tokens) == tokens, "count_up_to differs from count within the limit");
  if (tokens > 0) {
    promises.expect(counter.count_up_to(text, tokens - 1) > tokens - 1, "count_up_to hides that the limit is passed");
  }
}

void check_texts(Promises& promises, const TokenCounter& counter) {
  promises.expect(counter.count("") == 0, "the empty text has tokens");
  for (const auto text : texts) check_text(promises, counter, text);
  std::string grown;
  for (int i = 0; i < 2'000; ++i) grown += "word ";
  promises.expect(counter.count(grown) > counter.count("word "), "a long text counts no more than a word");
  promises.expect(counter.count_up_to(grown, 10) > 10, "count_up_to hides that the limit is passed");
}

void check_messages(Promises& promises, const TokenCounter& counter) {
  const ConversationMessage empty{Role::user, ""};
  const ConversationMessage said{Role::user, std::string(texts[1])};
  ConversationMessage called{Role::assistant, {}};
  called.tool_calls.push_back({"call_1", "search", R"({"query": "audit"})", ""});
  promises.expect(counter.count_message(empty) >= 0, "count_message is negative");
  promises.expect(counter.count_message(said) > counter.count_message(empty), "the text of a message is not counted");
  promises.expect(counter.count_message(called) > counter.count_message(empty),
                  "the calls of a message are not counted");
  promises.expect(counter.reply_priming_tokens() >= 0, "reply_priming_tokens is negative");
  const auto prompt = counter.count_prompt({said});
  promises.expect(prompt == counter.count_prompt({said}), "the same prompt has two counts");
  promises.expect(prompt > counter.count_prompt({empty}), "the text of a message is not counted in a prompt");
  promises.expect(counter.count_prompt({said, called, said}) > prompt, "a longer prompt counts no more");
  const ToolDefinition tool{"search", "Finds documents by their words.", R"({"type": "object"})", ""};
  promises.expect(counter.count_tools({}) == 0, "no tools have tokens");
  promises.expect(counter.count_tools({tool}) > 0, "a tool definition is not counted");
}

void check_counter_threads(Promises& promises, const TokenCounter& counter) {
  std::vector<std::int64_t> expected;
  for (const auto text : texts) expected.push_back(counter.count(text));
  promises.check_in_threads("count from several threads", [&](Promises& own, std::size_t) {
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        own.expect(counter.count(texts[i]) == expected[i], "counts differ when several threads count");
      }
    }
  });
}

}  // namespace

std::vector<std::string> check_token_counter(const TokenCounter& counter) {
  Promises promises;
  promises.check("count", [&] { check_texts(promises, counter); });
  promises.check("count of messages and tools", [&] { check_messages(promises, counter); });
  promises.check("count from several threads", [&] { check_counter_threads(promises, counter); });
  auto broken = promises.take_broken();
  std::sort(broken.begin(), broken.end());
  broken.erase(std::unique(broken.begin(), broken.end()), broken.end());
  return broken;
}

}  // namespace ctxmgr::testing
