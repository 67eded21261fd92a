#include "engine/summaries/summary_entry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <set>

namespace ctxmgr {
namespace {

SummaryKey some_key() {
  SummaryKey key;
  key.scope = "session-1";
  key.artifact_id = "step_0_tool_1_search";
  key.content_hash = "9f2c";
  key.focus = "payment terms";
  key.model = "small-model";
  key.target_tokens = 400;
  key.prompt_version = "3";
  return key;
}

const std::vector<std::function<void(SummaryKey&)>> changes_of_one_field = {
    [](auto& key) { key.scope = "session-2"; },
    [](auto& key) { key.artifact_id = "other"; },
    [](auto& key) { key.content_hash = "9f2d"; },
    [](auto& key) { key.strategy = ProcessingStrategy::rag_extract; },
    [](auto& key) { key.focus = "payment dates"; },
    [](auto& key) { key.model = "large-model"; },
    [](auto& key) { key.target_tokens = 4'000; },
    [](auto& key) { key.prompt_version = "4"; },
    [](auto& key) { key.trust = Trust::trusted; },
    // The same bytes, cut elsewhere.
    [](auto& key) { key.artifact_id += "9", key.content_hash = "f2c"; },
    [](auto& key) { key.model = key.focus + key.model, key.focus.clear(); },
};

TEST(SummaryEntryTest, EveryFieldChangesTheName) {
  const auto name = [](const SummaryKey& key) { return summary_namespace(key.scope) + summary_store_key(key); };
  std::set<std::string> names{name(some_key())};
  for (const auto& change : changes_of_one_field) {
    auto key = some_key();
    change(key);
    names.insert(name(key));
  }
  EXPECT_EQ(names.size(), changes_of_one_field.size() + 1);
}

TEST(SummaryEntryTest, AnEntryIsReadUnderItsOwnKeyOnly) {
  const auto entry = encode_summary(some_key(), "Net 30.");
  EXPECT_EQ(decode_summary(some_key(), entry), "Net 30.");
  for (const auto& change : changes_of_one_field) {
    auto key = some_key();
    change(key);
    EXPECT_EQ(decode_summary(key, entry), std::nullopt);
  }
}

TEST(SummaryEntryTest, AnyFlippedOrMissingByteMakesAnEntryUnreadable) {
  const auto entry = encode_summary(some_key(), "Net 30, two per cent discount within ten days.");
  for (std::size_t i = 0; i < entry.size(); ++i) {
    EXPECT_EQ(decode_summary(some_key(), entry.substr(0, i)), std::nullopt) << i;
    auto flipped = entry;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_EQ(decode_summary(some_key(), flipped), std::nullopt) << i;
  }
  EXPECT_EQ(decode_summary(some_key(), entry + "x"), std::nullopt);
}

TEST(SummaryEntryTest, ArbitraryBytesAreNoEntry) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(!decode_summary(some_key(), bytes));
    RC_ASSERT(decode_focuses("s", "h", bytes).empty());
  }));
}

TEST(SummaryEntryTest, AnySummaryComesBackAsItWas) {
  EXPECT_TRUE(rc::check([](const std::string& summary, const std::string& focus, const std::string& scope) {
    auto key = some_key();
    key.focus = focus;
    key.scope = scope;
    RC_ASSERT(decode_summary(key, encode_summary(key, summary)) == summary);
  }));
}

TEST(SummaryEntryTest, FocusesBelongToOneContentOfOneScope) {
  const auto entry = encode_focuses("s", "h", {"dates", "prices"});
  EXPECT_EQ(decode_focuses("s", "h", entry), (std::vector<std::string>{"dates", "prices"}));
  EXPECT_TRUE(decode_focuses("s", "other", entry).empty());
  EXPECT_TRUE(decode_focuses("other", "h", entry).empty());
}

TEST(SummaryEntryTest, WithASecretNobodyElseCanMakeAnEntry) {
  const auto key = some_key();
  EXPECT_EQ(decode_summary(key, encode_summary(key, "net 30", "secret"), "secret"), "net 30");
  EXPECT_EQ(decode_summary(key, encode_summary(key, "forged"), "secret"), std::nullopt);
  EXPECT_EQ(decode_summary(key, encode_summary(key, "forged", "guess"), "secret"), std::nullopt);
  EXPECT_EQ(decode_summary(key, encode_summary(key, "net 30", "secret")), std::nullopt);
  EXPECT_TRUE(decode_focuses("s", "h", encode_focuses("s", "h", {"dates"}), "secret").empty());
  EXPECT_FALSE(decode_focuses("s", "h", encode_focuses("s", "h", {"dates"}, "secret"), "secret").empty());
}

TEST(SummaryEntryTest, ABucketIsNeverAboveTheTargetNorBelowTwoThirdsOfIt) {
  EXPECT_TRUE(rc::check([](std::int16_t number) {
    const std::int64_t target = number;
    const auto bucket = target_token_bucket(target);
    RC_ASSERT(bucket >= 0 && bucket <= std::max<std::int64_t>(target, 0));
    RC_ASSERT((target < 0 || 3 * bucket >= 2 * target - 3));
    RC_ASSERT(target_token_bucket(bucket) == bucket);
  }));
}

}  // namespace
}  // namespace ctxmgr
