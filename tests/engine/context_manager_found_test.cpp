#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "ctxmgr/engine/context_manager.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using testing::words;

Result<BuiltContext> build(const Context& context, std::int64_t budget) {
  BuildRequest request;
  request.budget.max_input_tokens = budget;
  return ContextManager(ContextManagerOptions{}).build(context, request);
}

std::string all_text(const BuiltContext& built) {
  std::string text;
  for (const auto& message : built.messages) text += text_of(message) + "\n";
  return text;
}

/// "[12] user: …", or "user: …" right behind the message before.
struct Piece {
  std::size_t number = 0;  ///< 0: the one after the piece before.
  std::string said{};
};

std::optional<Piece> piece_in(std::string line) {
  Piece piece;
  if (line.starts_with("[")) {
    const auto end = line.find("] ");
    if (end == std::string::npos || line.find_first_not_of("0123456789", 1) != end) return std::nullopt;
    piece.number = std::stoul(line.substr(1, end - 1));
    line.erase(0, end + 2);
  }
  for (const std::string speaker : {"user: ", "assistant: "}) {
    if (!line.starts_with(speaker)) continue;
    piece.said = line.substr(speaker.size());
    return piece;
  }
  return std::nullopt;
}

/// Six sentences on one line, of which one names the topic.
std::string long_turn(std::size_t i) {
  std::string text;
  for (std::size_t k = 0; k < 6; ++k)
    text += (k == i % 6 ? "The ferry number " + std::to_string(i) + " leaves from pier " + std::to_string(i + 40) + ". "
                        : words(14, "w" + std::to_string(i) + "x" + std::to_string(k)) + ". ");
  text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(ContextManagerFoundTest, APieceThatBeginsOrEndsInsideItsMessageSaysSo) {
  Context context;
  auto& history = context.conversation_history;
  for (std::size_t i = 0; i < 60; ++i) history.push_back({i % 2 == 0 ? Role::user : Role::assistant, long_turn(i)});
  history.push_back({Role::user, "Which pier does the ferry number 7 leave from?"});
  std::size_t pieces = 0;
  for (const std::int64_t budget : {600, 1'000, 1'500, 2'500, 4'000}) {
    const auto built = build(context, budget);
    ASSERT_TRUE(built) << built.error().message;
    std::size_t number = 0;
    std::istringstream lines(all_text(*built));
    for (std::string line; std::getline(lines, line);) {
      const auto piece = piece_in(line);
      if (!piece) continue;
      number = piece->number > 0 ? piece->number : number + 1;
      const auto whole = text_of(history.at(number - 1));
      const auto& said = piece->said;
      ++pieces;
      EXPECT_TRUE(said.starts_with("… ") || whole.starts_with(said.substr(0, 20))) << budget << ": " << line;
      EXPECT_TRUE(said.ends_with(" …") || whole.ends_with(said.substr(said.size() - 10))) << budget << ": " << line;
    }
  }
  EXPECT_GT(pieces, 20U);
}

TEST(ContextManagerFoundTest, AnIndentedResultIsSearchedAsItIsShown) {
  std::string records = "[\n";
  for (int i = 0; i < 150; ++i)
    records += std::string(i > 0 ? ",\n" : "") + "    {\n        \"order\": \"PX-" + std::to_string(100 + i) +
               "\",\n        \"carrier\": \"line " + std::to_string(i % 7) +
               "\",\n        \"weight\": {\n            " + "\"kilograms\": " + std::to_string(i * 3) +
               "\n        }\n    }";
  records += "\n]";
  Context context;
  auto& history = context.conversation_history;
  history.push_back({Role::user, "List the orders."});
  history.push_back(testing::tool_call("c1"));
  history.push_back(testing::tool_result("c1", records));
  for (int i = 0; i < 8; ++i) {
    history.push_back({Role::assistant, words(150, "a" + std::to_string(i))});
    history.push_back({Role::user, "Go on, " + words(10, "b" + std::to_string(i))});
  }
  history.push_back({Role::assistant, "Done."});
  history.push_back({Role::user, "What does the order PX-177 weigh?"});
  for (const std::int64_t budget : {1'200, 2'000, 3'000}) {
    const auto built = build(context, budget);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_THAT(all_text(*built), HasSubstr("PX-177")) << budget;
    EXPECT_THAT(all_text(*built), HasSubstr("231")) << budget;
  }
}

}  // namespace
}  // namespace ctxmgr
