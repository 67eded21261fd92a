#include "ports/estimate_by_kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/context_manager.hpp"

namespace ctxmgr {
namespace {

/// A text, and what vocabularies count that are not here. `scripts/measure-estimates.py counts` made them with each family's own
/// tokenizer.
struct Recorded {
  std::string kind;
  std::string text;
  nlohmann::json counts;

  [[nodiscard]] bool is_usual() const { return kind.rfind("prose", 0) == 0 || kind.rfind("code", 0) == 0; }
};

std::vector<Recorded> recorded() {
  std::ifstream file(CTXMGR_TEST_TOKEN_COUNTS);
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    auto row = nlohmann::json::parse(line);
    all.push_back({row.at("kind"), row.at("text"), row});
  }
  return all;
}

constexpr std::pair<const char*, VocabularyFamily> families[] = {
    {"o200k", VocabularyFamily::o200k},      {"qwen", VocabularyFamily::qwen},
    {"gemini", VocabularyFamily::gemini},    {"deepseek", VocabularyFamily::deepseek},
    {"llama", VocabularyFamily::llama},      {"o200k", VocabularyFamily::unknown},
    {"qwen", VocabularyFamily::unknown},     {"gemini", VocabularyFamily::unknown},
    {"deepseek", VocabularyFamily::unknown}, {"llama", VocabularyFamily::unknown}};

double share(const Recorded& row, const char* vocabulary, VocabularyFamily family) {
  return static_cast<double>(estimate_by_kind(row.text, family)) / row.counts.at(vocabulary).get<double>();
}

TEST(EstimateByKindTest, NoKindOfTextIsUnderestimatedByMoreThanATwentieth) {
  const auto rows = recorded();
  ASSERT_GT(rows.size(), 150U);
  for (const auto& row : rows) {
    for (const auto& [vocabulary, family] : families)
      EXPECT_GE(share(row, vocabulary, family), 0.95) << row.kind << ", " << vocabulary;
  }
}

TEST(EstimateByKindTest, ProseAndCodeAreOverestimatedByAFifthAtMost) {
  for (const auto& row : recorded()) {
    if (!row.is_usual()) continue;
    for (const auto& [vocabulary, family] : families) {
      if (family == VocabularyFamily::unknown) continue;
      EXPECT_LE(share(row, vocabulary, family), 1.2) << row.kind << ", " << vocabulary;
    }
  }
}

TEST(EstimateByKindTest, WhatIsRecordedForOneVocabularyIsWhatItCounts) {
  const auto counter = std::move(*make_bpe_token_counter("o200k_base"));
  for (const auto& row : recorded()) EXPECT_EQ(counter->count(row.text), row.counts.at("o200k").get<int>()) << row.kind;
}

TEST(EstimateByKindTest, AnyBytesHaveACount) {
  EXPECT_EQ(estimate_by_kind(""), 0);
  std::mt19937_64 engine(3);
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_GE(estimate_by_kind(bytes.substr(bytes.size() - std::min<std::size_t>(bytes.size(), 40))), 0);
    bytes += static_cast<char>(engine());
  }
  EXPECT_GT(estimate_by_kind(bytes), 10'000);
  EXPECT_GT(estimate_by_kind(std::string(100'000, ' ')), 1'000) << "blanks without end";
}

TEST(EstimateByKindTest, ABudgetForAModelWithoutAVocabularyHolds) {
  const std::pair<const char*, const char*> models[] = {
      {"claude-sonnet-4-5", "o200k"}, {"qwen3-32b", "qwen"}, {"gemini-2.5-pro", "gemini"}, {"MiniMax-M2.7", "o200k"}};
  for (const auto& [model, vocabulary] : models) {
    for (const char* const kind : {"uuids", "csv", "json min", "base64", "amharic", "braille", "zalgo", "tabs nl"}) {
      const auto rows = recorded();
      const auto row =
          std::find_if(rows.begin(), rows.end(), [kind = kind](const Recorded& r) { return r.kind == kind; });
      ASSERT_NE(row, rows.end()) << kind;
      Context context;
      for (int i = 0; i < 20; ++i) {
        context.conversation_history.push_back({Role::user, row->text});
        context.conversation_history.push_back({Role::assistant, "ok"});
      }
      context.conversation_history.push_back({Role::user, "go on"});
      BuildRequest request;
      request.models.primary = model;
      request.budget.max_input_tokens = 4'000;
      const auto built = ContextManager().build(context, request);
      ASSERT_TRUE(built) << built.error().message;
      const auto whole = std::count_if(built->messages.begin(), built->messages.end(),
                                       [&](const auto& message) { return text_of(message) == row->text; });
      EXPECT_LE(static_cast<double>(whole) * row->counts.at(vocabulary).get<double>(), 4'000 * 1.05)
          << model << ", " << kind;
      EXPECT_FALSE(built->metadata.tokens_exact);
    }
  }
}

}  // namespace
}  // namespace ctxmgr
