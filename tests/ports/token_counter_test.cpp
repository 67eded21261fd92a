#include "ctxmgr/ports/token_counter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ports/checked_token_counter.hpp"

namespace ctxmgr {
namespace {

std::string repeat(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

/// Counts bytes, so that the expectations below can be read.
std::unique_ptr<TokenCounter> bytes_counter() {
  return make_token_counter([](std::string_view text) { return static_cast<std::int64_t>(text.size()); },
                            {"bytes", true});
}

TEST(ApproximateTokenCounterTest, WeighsScriptsApart) {
  const auto counter = make_approximate_token_counter();
  EXPECT_EQ(counter->count(""), 0);
  EXPECT_EQ(counter->count("a"), 1);
  EXPECT_EQ(counter->count(repeat("word", 100)), 100);
  EXPECT_EQ(counter->count(repeat("é", 100)), 25);
  EXPECT_EQ(counter->count(repeat("ệ", 100)), 25);
  EXPECT_EQ(counter->count(repeat("д", 100)), 50);
  EXPECT_EQ(counter->count(repeat("न", 100)), 100);
  EXPECT_EQ(counter->count(repeat("漢", 100)), 150);
  EXPECT_EQ(counter->count(repeat("한", 100)), 150);
  EXPECT_EQ(counter->count(repeat("😀", 100)), 200);
}

TEST(ApproximateTokenCounterTest, CountsATokenForEachByteThatIsNotUtf8) {
  const auto counter = make_approximate_token_counter();
  EXPECT_EQ(counter->count("\x80\xFF\xC3"), 3);
  EXPECT_EQ(counter->count("\xE6\xBC"), 2);
}

TEST(ApproximateTokenCounterTest, SaysThatItIsNotExactAndServesAnyModel) {
  EXPECT_FALSE(make_approximate_token_counter()->info().exact);
  EXPECT_EQ(make_approximate_token_counter()->info().tokenizer, "");
}

TEST(CallableTokenCounterTest, CountsWithTheFunction) {
  const auto counter = bytes_counter();
  EXPECT_EQ(counter->count("12345"), 5);
  EXPECT_EQ(counter->count_up_to("12345", 2), 5);
  EXPECT_EQ(counter->info().tokenizer, "bytes");
}

TEST(CallableTokenCounterTest, EstimatesWhereTheFunctionThrowsOrLies) {
  const std::string text = repeat("word", 10);
  EXPECT_EQ(make_token_counter([](std::string_view) -> std::int64_t { throw std::runtime_error("x"); })->count(text),
            10);
  EXPECT_EQ(make_token_counter([](std::string_view) -> std::int64_t { return -5; })->count(text), 10);
  EXPECT_EQ(make_token_counter([](std::string_view) { return INT64_MAX; })->count(text), 10);
  EXPECT_EQ(make_token_counter([](std::string_view) { return INT64_MIN; })->count(text), 10);
  EXPECT_EQ(make_token_counter(nullptr)->count(text), 10);
}

TEST(CallableTokenCounterTest, SaysThatItIsFaultyOnceItWas) {
  std::int64_t tokens = 3;
  const auto counter = make_token_counter([&](std::string_view) { return tokens; }, {"bytes", true});
  EXPECT_EQ(counter->count("12345"), 3);
  EXPECT_TRUE(counter->info().exact);
  EXPECT_FALSE(counter->info().faulty);
  tokens = INT64_MAX;
  EXPECT_EQ(counter->count("12345"), 2);
  tokens = 3;
  EXPECT_EQ(counter->count("12345"), 3);
  EXPECT_FALSE(counter->info().exact);
  EXPECT_TRUE(counter->info().faulty);
}

/// As a chat template may have it: other framing, an instruction of its own in front, and a longer start of the reply.
class OwnTemplate : public TokenCounter {
 public:
  TokenCounterInfo info() const override { return {"", true, false, true}; }
  std::int64_t count(std::string_view text) const override { return static_cast<std::int64_t>(text.size()); }
  std::int64_t count_message(const ConversationMessage& message) const override { return 6 + count(text_of(message)); }
  std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override {
    return TokenCounter::count_prompt(messages) + 40;
  }
  std::int64_t reply_priming_tokens() const override { return 5; }
};

TEST(CountPromptTest, IsTheSumUnlessTheCounterKnowsBetter) {
  const std::vector<ConversationMessage> said{{Role::user, "12"}, {Role::assistant, "345"}};
  EXPECT_EQ(bytes_counter()->count_prompt(said), 3 + 6 + 7);
  EXPECT_EQ(count_messages(OwnTemplate(), said), 5 + 8 + 9 + 40);
  EXPECT_EQ(make_checked_token_counter(std::make_shared<OwnTemplate>())->count_prompt(said), 5 + 8 + 9 + 40);
}

TEST(CheckedTokenCounterTest, APromptThatIsCountedWronglyIsTheSumOfItsMessages) {
  struct Wrong final : OwnTemplate {
    std::int64_t count_prompt(const std::vector<ConversationMessage>&) const override { return -1; }
    std::int64_t reply_priming_tokens() const override { return INT64_MAX; }
  };
  const auto counter = make_checked_token_counter(std::make_shared<Wrong>());
  EXPECT_EQ(counter->count_prompt({{Role::user, "12"}}), 3 + 8);
  EXPECT_FALSE(counter->info().exact);
  EXPECT_FALSE(counter->info().framing_exact);
}

/// Breaks the contract of the port in every method that it has.
class Liar final : public TokenCounter {
 public:
  explicit Liar(std::int64_t tokens) : tokens_(tokens) {}
  TokenCounterInfo info() const override { return {"lies", true}; }
  std::int64_t count(std::string_view /*text*/) const override { return tokens_; }

 private:
  std::int64_t tokens_;
};

TEST(CheckedTokenCounterTest, EstimatesWhateverAHostsCounterCountsWrongly) {
  ConversationMessage message{Role::user, repeat("word", 10)};
  message.name = "ann";
  message.tool_calls.push_back({"id", "search", "{}"});
  const auto right = make_approximate_token_counter();
  for (const auto lie : {INT64_MAX, INT64_MIN, std::int64_t{-1}, (std::int64_t{1} << 40) + 1}) {
    const auto counter = make_checked_token_counter(std::make_shared<Liar>(lie));
    EXPECT_TRUE(counter->info().exact);
    EXPECT_EQ(counter->count_message(message), right->count_message(message)) << lie;
    EXPECT_TRUE(counter->info().faulty) << lie;
    EXPECT_FALSE(counter->info().exact) << lie;
    EXPECT_EQ(counter->count("word"), 1) << lie;
    EXPECT_EQ(counter->count_up_to("word", 7), 1) << lie;
    EXPECT_EQ(counter->count_tools({{"search", "finds", "{}"}}), right->count_tools({{"search", "finds", "{}"}}))
        << lie;
    EXPECT_EQ(count_messages(*counter, {message, message}), count_messages(*right, {message, message})) << lie;
  }
  EXPECT_EQ(make_checked_token_counter(nullptr), nullptr);
}

TEST(CheckedTokenCounterTest, LeavesWhatIsRightAsItIs) {
  const auto counter = make_checked_token_counter(std::make_shared<Liar>(std::int64_t{1} << 40));
  EXPECT_EQ(counter->count("word"), std::int64_t{1} << 40);
  EXPECT_TRUE(counter->info().exact);
}

TEST(CountMessageTest, FramesAMessageAsOpenAiDocumentsIt) {
  const auto counter = bytes_counter();
  EXPECT_EQ(counter->count_message({Role::user, "12345"}), 3 + 1 + 5);
  ConversationMessage named{Role::user, "12345"};
  named.name = "bob";
  EXPECT_EQ(counter->count_message(named), 3 + 1 + 5 + 1 + 3);
  EXPECT_EQ(counter->count_message({Role::assistant, {}}), 3 + 1);
}

TEST(CountMessageTest, CountsTextPartsAsTextAndImagesAtAFixedCost) {
  const auto counter = bytes_counter();
  const ConversationMessage message{
      Role::user, std::vector<ContentPart>{{PartKind::text, "12345", ""}, {PartKind::image, "", repeat("A", 90'000)}}};
  EXPECT_EQ(counter->count_message(message), 3 + 1 + 5 + binary_part_tokens);
}

TEST(CountMessageTest, PartsOfOtherFormsAreCountedByWhatTheyHold) {
  const auto counter = bytes_counter();
  const std::string words(185'000, 'w');
  const ConversationMessage message{
      Role::user, std::vector<ContentPart>{{PartKind::other, "",
                                            R"({"type":"tool_result","content":[{"type":"text","text":")" + words +
                                                R"( ."},{"type":"image","source":{}}]})"}}};
  EXPECT_GE(counter->count_message(message), 185'000 + binary_part_tokens);
  EXPECT_LE(counter->count_message(message), 185'100 + binary_part_tokens);
}

TEST(CountMessageTest, CountsNamesAndArgumentsOfCalls) {
  const auto counter = bytes_counter();
  ConversationMessage message{Role::assistant, ""};
  message.tool_calls.push_back({"call_1", "search", R"({"q":1})", ""});
  EXPECT_GE(counter->count_message(message), 3 + 1 + 6 + 7);
}

TEST(CountToolsTest, GrowsWithEveryDefinition) {
  const auto counter = bytes_counter();
  const ToolDefinition tool{"search", "Finds things.", R"({"type":"object"})", ""};
  EXPECT_EQ(counter->count_tools({}), 0);
  EXPECT_GE(counter->count_tools({tool}), 6 + 13 + 17);
  EXPECT_GT(counter->count_tools({tool, tool}), counter->count_tools({tool}));
}

TEST(CountMessagesTest, AddsTheReplyPrimingOnce) {
  const auto counter = bytes_counter();
  EXPECT_EQ(count_messages(*counter, {}), 3);
  EXPECT_EQ(count_messages(*counter, {{Role::user, "12"}, {Role::assistant, "345"}}), 3 + 6 + 7);
}

}  // namespace
}  // namespace ctxmgr
