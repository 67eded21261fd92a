#include "ports/estimate_by_kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/context_manager.hpp"

namespace ctxmgr {
namespace {

class Kinds {
 public:
  std::map<std::string, std::string> texts() {
    std::map<std::string, std::string> all;
    const auto repeat = [&](const char* name, int count, const std::function<std::string()>& piece) {
      for (int i = 0; i < count; ++i) all[name] += piece();
    };
    repeat("integers", 800, [&] { return number(1 + below(9)) + " "; });
    repeat("figures", 800, [&] { return number(1 + below(5)) + "." + number(2) + (below(8) == 0 ? "\n" : ","); });
    repeat("hexadecimal", 120, [&] { return of("0123456789abcdef", 64) + "\n"; });
    repeat("base64", 60, [&] { return of(base64, 76); });
    repeat("ids", 200, [&] { return "call_" + of(letters_and_digits, 24) + " "; });
    repeat("uuids", 200, [&] { return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12) + "\n"; });
    repeat("letters", 10, [&] { return of("abcdefghijklmnopqrstuvwxyz", 500); });
    repeat("signs", 10, [&] { return of("!@#$%^&*()_+-=[]{};:'\",.<>/?|", 300); });
    repeat("json", 150, [&] {
      return R"({"id":)" + number(3) + R"(,"sku":"SKU-)" + number(5) + R"(","price":)" + number(2) + "." + number(2) +
             R"(,"ok":true,"tags":["a","b)" + number(2) + "\"]},";
    });
    repeat("log", 150, [&] {
      return "2026-11-" + number(2) + "T0" + number(1) + ":" + number(2) + ":" + number(2) + "." + number(3) +
             "Z [WARN] req=" + hex(12) + " GET /api/v1/users/" + number(4) + "/orders?page=" + number(1) + " 404 " +
             number(3) + "ms\n";
    });
    repeat("listing", 150, [&] {
      return "-rw-r--r--  1 root root " + std::string(1 + below(6), ' ') + number(1 + below(7)) + " 2026-04-" +
             number(2) + " 20:14:" + number(2) + "." + number(9) + " +0000 lib" + of("abcdefghijklmnop", 5) + ".so\n";
    });
    repeat("urls", 150, [&] {
      return "https://shop" + number(2) + ".example.com/p/" + hex(10) + "?q=blue&ref=xYz" + number(4) + "\n";
    });
    return all;
  }

 private:
  static constexpr const char* base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static constexpr const char* letters_and_digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  std::string of(const std::string& alphabet, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += alphabet[below(alphabet.size())];
    return text;
  }
  std::string number(std::size_t digits) { return of("123456789", 1) + of("0123456789", digits - 1); }
  std::string hex(std::size_t digits) { return of("0123456789abcdef", digits); }

  std::mt19937_64 engine_{7};
};

constexpr const char* prose =
    "The harbour had been quiet for weeks. Every morning the pilot walked down to the quay, looked at the tide table, "
    "and "
    "wrote the depth of the channel into a book that nobody read. When the first ship of the season arrived, it was "
    "late, "
    "and its captain asked whether the berth beside the old crane was still free. It was not: two barges had been "
    "moored "
    "there since the storm, and their owners could not agree on who would pay for the repairs.\n\nSo the harbour "
    "master "
    "invited both of them to her office, made coffee, and listened. \"You are both right,\" she said at last, \"and "
    "that is "
    "why neither of you will get what you want.\" They laughed, signed the agreement, and the ship came in before "
    "noon.\n";

constexpr const char* code = R"(#include <vector>

namespace harbour {

/// Adds up what each berth owes. Negative fees are ignored.
std::int64_t total_fees(const std::vector<Berth>& berths, std::int64_t day_rate) {
  std::int64_t total = 0;
  for (const auto& berth : berths) {
    if (berth.days <= 0 || !berth.is_occupied()) continue;
    total += berth.days * day_rate + berth.extra_fee.value_or(0);
  }
  return total;
}

}  // namespace harbour

def parse_tide_table(path, encoding="utf-8"):
    """Reads (time, depth) pairs from a file of lines like '04:12 3.5'."""
    with open(path, encoding=encoding) as handle:
        rows = [line.split() for line in handle if line.strip()]
    return [(time, float(depth)) for time, depth in rows]
)";

std::int64_t exactly(const std::string& text) {
  static const auto counter = std::move(*make_bpe_token_counter("o200k_base"));
  return counter->count(text);
}

double share(const std::string& text) {
  return static_cast<double>(estimate_by_kind(text)) / static_cast<double>(exactly(text));
}

TEST(EstimateByKindTest, FiguresIdsAndMarkupAreNotUnderestimated) {
  for (const auto& [name, text] : Kinds().texts()) {
    EXPECT_GE(share(text), 0.95) << name;
    EXPECT_LE(share(text), 1.3) << name;
  }
}

TEST(EstimateByKindTest, ProseAndCodeAreHardlyOverestimated) {
  for (const auto* text : {prose, code}) {
    EXPECT_GE(share(text), 0.95) << text;
    EXPECT_LE(share(text), 1.15) << text;
  }
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

TEST(EstimateByKindTest, ABudgetForClaudeHoldsForFigures) {
  Context context;
  context.conversation_history = {{Role::user, "Which of these is the largest?"}};
  for (const auto& [name, text] : Kinds().texts()) context.artifacts.push_back(make_document(name, text + text));
  BuildRequest request;
  request.models.primary = "claude-sonnet-4-5";
  request.budget.max_input_tokens = 8'000;
  const auto built = ContextManager().build(context, request);
  ASSERT_TRUE(built) << built.error().message;
  std::int64_t tokens = 0;
  for (const auto& message : built->messages) tokens += exactly(text_of(message));
  EXPECT_LE(tokens, 8'000);
  EXPECT_GT(tokens, 4'000);
  EXPECT_FALSE(built->metadata.tokens_exact);
}

}  // namespace
}  // namespace ctxmgr
