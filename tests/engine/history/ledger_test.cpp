#include "engine/history/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/history/names.hpp"

namespace ctxmgr::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

class LedgerTest : public testing::Test {
 protected:
  void says(Role role, const std::string& text) { messages.push_back({role, text}); }

  void calls(const std::string& arguments, const std::string& result, const std::string& tool = "read") {
    const std::string id = "call" + std::to_string(messages.size());
    ConversationMessage call{Role::assistant, ""};
    call.tool_calls.push_back({id, tool, arguments, {}});
    messages.push_back(call);
    says(Role::tool, result);
    messages.back().tool_call_id = id;
  }

  /// Of all messages but the last `kept`.
  std::string ledger(std::size_t kept = 0, std::int64_t limit = 1'000) {
    NameIndex index;
    index.extend(messages);
    request.last = messages.size() - kept;
    request.limit = limit;
    if (!request.is_kept) request.is_kept = [this](std::size_t i) { return i >= request.last; };
    request.count = [](std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); };
    return make_ledger(messages, index, request);
  }

  std::vector<ConversationMessage> messages;
  LedgerRequest request;
};

TEST_F(LedgerTest, NamesStandWithTheCallOrTurnThatBroughtThemUp) {
  calls(R"({"path":"src/late_fee.cpp"})", "uses parse_fee and FeeTable");
  says(Role::user, "A deposit: 500, see INV-2024-0042");
  EXPECT_EQ(ledger(),
            "[1] read(src/late_fee.cpp): parse_fee, FeeTable\n"
            "[3] user: A deposit: 500, INV-2024-0042\n");
}

TEST_F(LedgerTest, ANumberOfATurnStandsWithTheWordsBeforeItWhereThatIsWanted) {
  says(Role::assistant, "It was opened in 1994.");
  EXPECT_EQ(ledger(), "[1] assistant: 1994\n");
  messages.clear();
  request.explains_numbers = true;
  says(Role::assistant, "It was a long way. The bridge was opened in 1994, and closed by 2013. 4711");
  EXPECT_EQ(ledger(), "[1] assistant: The bridge was opened in 1994, in 1994, and closed by 2013, 4711\n");
  messages.clear();
  calls("{}", "the bridge 1994");
  EXPECT_THAT(ledger(), Not(HasSubstr("bridge"))) << "a call's result has its call";
}

TEST_F(LedgerTest, MessagesAreCalledByTheNumbersOfTheirStore) {
  calls(R"({"path":"a.cpp"})", "parse_fee");
  messages[0].sequence_number = 57;
  EXPECT_EQ(ledger(), "[57] read(a.cpp): parse_fee\n");
}

TEST_F(LedgerTest, AFailedCallSaysSo) {
  calls(R"({"cmd":"ctest"})", "Error: fee_test is broken");
  calls(R"({"cmd":"make"})", "ok, but for late_fee\nexit code: 2");
  calls(R"({"cmd":"ls"})", "no_errors here\nexit code: 0\nError: (none)");
  EXPECT_THAT(ledger(), HasSubstr("read(ctest), failed: fee_test"));
  EXPECT_THAT(ledger(), HasSubstr("read(make), failed: late_fee"));
  EXPECT_THAT(ledger(), HasSubstr("read(ls): no_errors"));
}

TEST_F(LedgerTest, WhatTheKeptPartSaysIsNotRepeated) {
  calls("{}", "parse_fee in src/core/late_fee.cpp");
  says(Role::assistant, "We change late_fee.cpp, that is /srv/src/core/late_fee.cpp.");
  EXPECT_THAT(ledger(1), HasSubstr("parse_fee"));
  EXPECT_THAT(ledger(1), Not(HasSubstr("late_fee")));
}

TEST_F(LedgerTest, ANameStandsOnceInItsNewestPlace) {
  calls(R"({"n":1})", "parse_fee");
  calls(R"({"n":2})", "parse_fee and FeeTable");
  EXPECT_EQ(ledger(), "[1] read: 1\n[3] read(2): parse_fee, FeeTable\n");
}

TEST_F(LedgerTest, ALaterValueOfTheSameCallReplacesTheFormer) {
  calls(R"({"order":"W1000"})", "price: 100");
  calls(R"({"order":"W2000"})", "price: 200");
  calls(R"({"order":"W1000"})", "price: 300");
  const auto text = ledger();
  EXPECT_THAT(text, HasSubstr("price: 300"));
  EXPECT_THAT(text, HasSubstr("price: 200"));
  EXPECT_THAT(text, Not(HasSubstr("price: 100")));
}

TEST_F(LedgerTest, SoDoesWhatAUserSaysLaterAlsoInTheKeptPart) {
  says(Role::user, "Budget: 4000 EUR");
  says(Role::user, "Budget: 5000 EUR");
  EXPECT_EQ(ledger(), "[2] user: Budget: 5000\n");
  EXPECT_EQ(ledger(1), "");
}

TEST_F(LedgerTest, ValuesOfOneColumnAreAllKept) {
  calls("{}", R"([{"item_id": "3254583681"}, {"item_id": "9440686670"}])");
  calls("{}", R"([{"item_id": "1110001110"}])");
  EXPECT_THAT(ledger(), testing::AllOf(HasSubstr("3254583681"), HasSubstr("9440686670"), HasSubstr("1110001110")));
}

TEST_F(LedgerTest, ItKeepsWithinTheLimitAndPrefersTheNewest) {
  for (int i = 10; i < 60; ++i) calls("{\"page\":" + std::to_string(i) + "}", "name_" + std::to_string(i));
  for (const std::int64_t limit : {0, 5, 20, 80, 200}) {
    const auto text = ledger(0, limit);
    EXPECT_LE(request.count(text), limit);
    EXPECT_EQ(text.find("name_59") != std::string::npos, limit >= 20) << limit;
    EXPECT_THAT(text, Not(HasSubstr("name_10")));
  }
}

TEST_F(LedgerTest, AResultOfManyNamesLeavesRoomForOlderOnes) {
  calls(R"({"page":1})", "the_old_name");
  std::string many;
  for (int i = 0; i < 500; ++i) many += "name_" + std::to_string(i) + " ";
  calls(R"({"page":2})", many);
  EXPECT_THAT(ledger(0, 300), HasSubstr("the_old_name"));
}

TEST_F(LedgerTest, WhatCannotBeFetchedAgainComesFirst) {
  calls(R"({"page":1})", "the_old_name");
  std::string many;
  for (int i = 0; i < 39; ++i) many += "name_" + std::to_string(i) + " ";
  calls(R"({"page":2})", many);
  EXPECT_THAT(ledger(0, 40), Not(HasSubstr("the_old_name")));
  request.cannot_be_fetched_again = [](std::size_t message) { return message == 1; };
  EXPECT_THAT(ledger(0, 40), HasSubstr("the_old_name"));
}

TEST_F(LedgerTest, AHandleSaysHowToReadTheWhole) {
  calls(R"({"page":1})", "the_name");
  request.handle_of = [](std::size_t message) { return message == 0 ? "artifact:1" : ""; };
  EXPECT_EQ(ledger(), "[1] read(1) <artifact:1>: the_name\n");
}

TEST_F(LedgerTest, ObservationsAreOutputOfTheCommandBefore) {
  for (int i = 0; i < 3; ++i) {
    says(Role::assistant, "Looking.\n```sh\nls src\n```");
    says(Role::user, "<out>\nfile_" + std::string(1, static_cast<char>('a' + i)) + "\n</out>");
  }
  ThreadRoles roles;
  roles.extend(messages);
  request.role_of = [&roles](std::size_t message) { return roles.of(message); };
  EXPECT_THAT(ledger(), HasSubstr("[6] output of ls src: file_c\n"));
}

TEST_F(LedgerTest, NothingIsSaidThatTheMessagesDoNotSay) {
  calls(R"({"path":"src/late_fee.cpp"})", "uses parse_fee of INV-2024-0042 at 10442 EUR, total: 12");
  says(Role::user, "Budget: 4000 EUR");
  std::string all;
  for (const auto& message : messages) {
    all += text_of(message) + "\n";
    for (const auto& call : message.tool_calls) all += call.arguments_json + "\n";
  }
  std::vector<Name> names;
  const std::string text = ledger();
  find_names(text, names);
  EXPECT_GE(names.size(), 6U);
  for (const Name& name : names) EXPECT_TRUE(stands_in(name.text, all)) << name.text;
}

TEST_F(LedgerTest, ReadingStepByStepGivesTheSame) {
  for (int i = 0; i < 8; ++i) calls("{\"page\":" + std::to_string(i) + "}", "name_" + std::to_string(i) + " rows: 12");
  NameIndex steps;
  for (std::size_t n = 1; n <= messages.size(); ++n)
    steps.extend({messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(n)});
  const auto whole = ledger();
  EXPECT_EQ(make_ledger(messages, steps, request), whole);
  EXPECT_EQ(ledger(), whole);
}

TEST_F(LedgerTest, NumbersOfLinesAndSizesOfFilesComeBehindAllOthers) {
  calls(R"({"file":"a"})", "late_fee.cpp");
  std::string lines;
  for (int i = 1001; i < 1040; ++i) lines += std::to_string(i) + " some text\n";
  calls(R"({"file":"b"})", lines + "1040 parse_fee");
  calls(R"({"cmd":"ls"})", "-rw-r--r-- 1 root root 41788 Nov 22  2026 fees.toml");
  const auto scarce = ledger(0, 45);
  EXPECT_THAT(scarce, HasSubstr("late_fee.cpp"));
  EXPECT_THAT(scarce, HasSubstr("parse_fee"));
  EXPECT_THAT(scarce, HasSubstr("1001"));
  EXPECT_THAT(scarce, Not(HasSubstr("1030")));
  EXPECT_THAT(ledger(0, 1'000), HasSubstr("1030"));
}

TEST_F(LedgerTest, CallsAreCutToWhatTellsThemApart) {
  calls(R"({"cmd":")" + std::string(60, 'x') + R"("})", "parse_fee");
  EXPECT_EQ(ledger(), "[1] read(" + std::string(40, 'x') + "…): parse_fee\n");
}

TEST_F(LedgerTest, NoCallIsGoneWithoutATrace) {
  for (int i = 10; i < 60; ++i) {
    std::string names;
    for (int k = 0; k < 30; ++k) names += "name_" + std::to_string(i) + "_" + std::to_string(k) + " ";
    calls("{\"path\":\"file" + std::to_string(i) + ".h\"}", names);
  }
  calls("{}", "", "ls");
  const auto text = ledger(0, 1'000);
  EXPECT_LE(request.count(text), 1'000);
  EXPECT_THAT(text, testing::StartsWith("[1-"));
  EXPECT_THAT(text, HasSubstr(" calls of read: file"));
  EXPECT_THAT(text, HasSubstr("[101] ls\n"));
  EXPECT_THAT(text, HasSubstr("[99] read(file59.h): name_59_0"));
}

TEST_F(LedgerTest, OutputsOfATextProtocolLeaveATraceToo) {
  for (int i = 10; i < 30; ++i) {
    says(Role::assistant, "```sh\ncat file_of_" + std::to_string(i) + "\n```");
    says(Role::user, "<out>\n" + std::string(static_cast<std::size_t>(i), 'x') + "\n</out>");
  }
  ThreadRoles roles;
  roles.extend(messages);
  request.role_of = [&roles](std::size_t message) { return roles.of(message); };
  request.is_kept = [](std::size_t i) { return i % 2 == 0; };
  EXPECT_THAT(ledger(0, 200), HasSubstr("calls of a command: cat file_of_"));
}

}  // namespace
}  // namespace ctxmgr::engine
