#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/utf8.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "engine/selection/selection_internal.hpp"
#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

std::unique_ptr<TokenCounter> chars4() {
  return make_token_counter(
      [](std::string_view text) { return static_cast<std::int64_t>((utf8::count_code_points(text) + 3) / 4); });
}

// Texts and their index.
class Shelf {
 public:
  void add(const std::string& text, Speaker speaker = Speaker::document,
           ContentFormat format = ContentFormat::automatic, std::string_view call = {}) {
    texts_.push_back(text);
    ItemText item;
    item.call = call;
    item.text = texts_.back();
    item.speaker = speaker;
    item.format = format;
    index_.append(item);
  }

  IndexSlice slice(std::size_t first, std::size_t last) const {
    return {&index_, first, last, [this](std::size_t i) -> std::string_view { return texts_[i]; }, {}};
  }
  IndexSlice slice() const { return slice(0, index_.size()); }

  const TextIndex& index() const { return index_; }
  const std::string& text(std::size_t i) const { return texts_[i]; }

 private:
  std::deque<std::string> texts_;
  TextIndex index_;
};

SelectionRequest ask(std::string query, std::int64_t tokens) {
  SelectionRequest request;
  request.query = std::move(query);
  request.budget_tokens = tokens;
  return request;
}

std::string text_of(const Selection& selection) {
  std::string text;
  for (const SelectedText& chosen : selection.chosen) text += chosen.text + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two hundred records of a tool's reply.
std::string parcels() {
  std::string records;
  for (int i = 0; i < 200; ++i)
    records += std::string(i == 0 ? "[" : ",\n") + R"({"id": "W)" + std::to_string(1000 + i) +
               R"(", "carrier": "Postal )" + std::to_string(i % 7) + R"(", "state": "on its way", "weight": )" +
               std::to_string(i * 3) + "}";
  return records + "]";
}

class SelectionTest : public ::testing::Test {
 protected:
  Selection select_for(const std::string& query, std::int64_t tokens) const {
    return select({shelf.slice()}, ask(query, tokens), *counter);
  }

  // A question that one turn answers, and sixty that have nothing to do with it.
  void add_conversation() {
    shelf.add("The harbour fee is nine crowns.", Speaker::assistant);
    for (int i = 0; i < 60; ++i) shelf.add("Larks sing number " + std::to_string(i), Speaker::user);
  }

  Shelf shelf;
  std::unique_ptr<TokenCounter> counter = chars4();
};

TEST_F(SelectionTest, NumbersGoThroughTheSlicesFromTheirFirstItems) {
  Shelf thread;
  for (const char* turn : {"harbour fee one", "harbour fee two", "harbour fee four"}) thread.add(turn, Speaker::user);
  shelf.add("ropes");
  shelf.add("harbour fee three");
  const Selection selection = select({thread.slice(1, 2), shelf.slice()}, ask("harbour fee", 100), *counter);
  ASSERT_EQ(selection.chosen.size(), 2U);
  EXPECT_EQ(selection.chosen[0].index, 0U);
  EXPECT_EQ(selection.chosen[0].text, "harbour fee two");
  EXPECT_EQ(selection.chosen[1].index, 2U);
  EXPECT_EQ(selection.chosen[1].text, "harbour fee three");
  EXPECT_EQ(selection.relevance.size(), 3U);
}

TEST_F(SelectionTest, AfterAChangeOfTopicTheTurnThatAnswersComesBeforeThoseOfTheLastTurns) {
  shelf.add("user: My name is Ottilie, by the way.", Speaker::user);
  std::vector<std::string> hints;
  for (int i = 0; i < 12; ++i) {
    const std::string turn = "assistant: Heat pumps and solar panels need a permit, number " + std::to_string(i);
    shelf.add(turn, Speaker::assistant);
    hints.insert(hints.begin(), turn);
  }
  SelectionRequest request = ask("What is my name?", 24);
  request.hints = hints;
  const std::string text = text_of(select({shelf.slice()}, request, *counter));
  EXPECT_TRUE(has(text, "Ottilie")) << text;
}

TEST_F(SelectionTest, HintsCountInFullForWhatFollowedTheQuestion) {
  shelf.add("user: Please repair the build of the parser.", Speaker::user);
  shelf.add("tool: the lexer table is stale", Speaker::tool);
  shelf.add("tool: the build runs as ever and nothing says repair", Speaker::tool);
  shelf.add("tool: the printer has no paper", Speaker::tool);
  SelectionRequest request = ask("Please repair the build of the parser.", 12);
  request.hints = {"assistant: Is the lexer table stale?"};
  const Selection before = select({shelf.slice()}, request, *counter);
  ASSERT_FALSE(before.relevance.empty());
  IndexSlice steps = shelf.slice(1, 4);
  steps.follows = true;
  const Selection after = select({shelf.slice(0, 1), steps}, request, *counter);
  EXPECT_LT(before.relevance[1], before.relevance[2]);
  EXPECT_GT(after.relevance[1], after.relevance[2]);
}

TEST_F(SelectionTest, TheLineOfTheTestThatFailedComesBeforeThoseThatPassed) {
  std::string result = "tool: Test project /build\n";
  for (int i = 1; i <= 24; ++i) {
    const std::string number = std::to_string(i);
    result += "      Start " + number + ": suite_" + std::to_string(7 * i) + "\n" + number + "/24 Test #" + number +
              ": suite_" + std::to_string(7 * i) + (i == 17 ? " ....***Failed    0." : " ....   Passed    0.") +
              std::to_string(10 + i) + " sec\n";
  }
  shelf.add(result, Speaker::tool, ContentFormat::log);
  for (const char* question : {"make the suite green", "run the tests of suite_7", "go on"}) {
    const std::string text = text_of(select_for(question, 60));
    EXPECT_TRUE(has(text, "Failed")) << question << ":\n" << text;
  }
}

TEST_F(SelectionTest, ALineOfALogWinsByItsOwnMatch) {
  const std::vector<std::string> near{" INFO payment accepted ", " INFO voucher issued ", " INFO request declined "};
  std::string log;
  for (std::size_t i = 0; i < 400; ++i) {
    const std::string time = "2026-03-01 08:00:" + std::to_string(10 + i % 50);
    // One stretch is full of lines with a word of the question each; one line elsewhere has all of them.
    log += time + (i < 100 ? near[i % 3] : " INFO cache refreshed ") + std::to_string(i) + "\n";
    if (i == 300) log += time + " INFO payment by voucher declined\n";
  }
  shelf.add(log, Speaker::document, ContentFormat::log);
  const std::string chosen = text_of(select_for("payment voucher declined", 20));
  EXPECT_TRUE(has(chosen, "payment by voucher declined")) << chosen;
}

TEST_F(SelectionTest, WhatIsAskedOfARecordIsThatOfTheOneThatIsNamed) {
  std::string records = "[";
  for (int i = 10; i < 60; ++i)
    records += std::string(i == 10 ? "" : ",\n") + R"({"id": )" + std::to_string(i) +
               R"(, "customer": "Customer of the north )" + std::to_string(i) + R"(", "status": ")" +
               (i == 37 ? "held at the border" : "paid in full") + R"("})";
  shelf.add(records + "]", Speaker::tool);
  const std::string text = text_of(select_for("What is the status of 37?", 40));
  EXPECT_TRUE(has(text, R"("status": "held at the border")")) << text;
}

TEST_F(SelectionTest, LinesWithoutAWordAreNoPieces) {
  std::string code;
  for (int i = 0; i < 30; ++i)
    code += "def lift" + std::to_string(i) +
            "(load):\n    \"\"\"\n    Moves cargo.\n    \"\"\"\n    (\n    )\n    return load\n\n";
  shelf.add(code, Speaker::document, ContentFormat::code);
  const std::string text = text_of(select_for("lift7", 60));
  EXPECT_FALSE(has(text, "\u2026\n\"\"\"\n\u2026")) << text;
  EXPECT_FALSE(has(text, "\u2026\n(\n")) << text;
}

// Prose about the harbour with a table in it.
std::string page(const std::string& caption) {
  std::string text = "Notes of the harbour\n\n";
  for (int i = 0; i < 4; ++i)
    text +=
        "The quay of basin number " + std::to_string(i) + " was repaired with stone in the spring of that year.\n\n";
  text += caption + "\n\n|  | Weight in tons |  |\n|---|---|---|\n|  | 2018 | 2019 |\n";
  for (const char* row : {"Salt", "Herring", "Timber", "Total"})
    text += "| " + std::string(row) + " | " + std::to_string(10 * text.size()) + " | 7 |\n";
  for (int i = 4; i < 9; ++i)
    text +=
        "\nThe quay of basin number " + std::to_string(i) + " was repaired with brick in the autumn of that year.\n";
  return text;
}

TEST_F(SelectionTest, ARowAmongProseIsFoundByItsCaptionAndShownWithItsHeader) {
  shelf.add(page("Goods that were landed from the islands:"));
  shelf.add(page("Goods that were carried to the mountains:"));
  const std::string text = text_of(select_for("total of goods landed from the islands in 2019", 60));
  EXPECT_TRUE(has(text, "|  | 2018 | 2019 |")) << text;
  EXPECT_TRUE(has(text, "| Total |")) << text;
  EXPECT_FALSE(has(text, "brick")) << text;
}

TEST_F(SelectionTest, WhatIsAroundATableHasNothingOfItsRows) {
  shelf.add(
      "The office opened in spring.\n\nIt closes at night in winter.\n\n| port | cargo | ship |\n|---|---|---|\n"
      "| Bergen | dried cod | Astrid |\n| Turku | flour | Hanna |\n\nNobody lives on the island now.\n\n"
      "The lamp was lit by hand then.\n");
  const std::string text = text_of(select_for("Which ship brought dried cod from Bergen?", 22));
  EXPECT_TRUE(has(text, "| Bergen | dried cod | Astrid |")) << text;
  EXPECT_FALSE(has(text, "Nobody lives")) << text;
}

TEST_F(SelectionTest, AHeaderIsNotShownWithoutARow) {
  shelf.add(
      "The office opened in spring, at last.\n\n| port | cargo | ship |\n|---|---|---|\n| Bergen | cod | Astrid |\n");
  EXPECT_FALSE(has(text_of(select_for("which port and ship", 9)), "| port |"));
  Shelf bare;
  bare.add("| port | cargo | ship |\n|---|---|---|\n", Speaker::document, ContentFormat::markdown);
  EXPECT_FALSE(select({bare.slice()}, ask("port", 40), *counter).chosen.empty());
}

TEST_F(SelectionTest, ARowOfATableWinsByItsOwnMatch) {
  std::string table = "city,product,sold\n";
  for (int i = 0; i < 400; ++i) {
    table += (i < 100 ? "Bergen,salt," : "Turku,flour,") + std::to_string(1000 + i) + "\n";
    if (i == 300) table += "Bergen,saffron,77\n";
  }
  shelf.add(table, Speaker::document, ContentFormat::table);
  const std::string chosen = text_of(select_for("saffron sold in Bergen", 20));
  EXPECT_TRUE(has(chosen, "Bergen,saffron,77")) << chosen;
}

const std::string account =
    "The pier of Skagen was built of oak and granite in the cold spring of 1894 by forty masons and their sons.";

TEST_F(SelectionTest, ARowWithTheWordsOfTheQuestionComesBeforeTheSentencesAroundItsTable) {
  std::string page =
      "The harbour earned more. Fees rose in the year. The ferries of the year carried more. Fees for ropes were kept. "
      "The year was dry. Harbour walls were mended in the year. The fees of the year are listed.\n\n"
      "| item | 1931 |\n|---|---|\n";
  for (const char* row : {"ropes", "pilots", "total harbour fees", "walls"})
    page += "| " + std::string(row) + " | 7 |\n";
  shelf.add(page, Speaker::document, ContentFormat::markdown);
  for (int i = 0; i < 20; ++i) shelf.add("Larks sing number " + std::to_string(i));
  const std::string text = text_of(select_for("What were the total harbour fees of the year?", 40));
  EXPECT_TRUE(has(text, "total harbour fees | 7")) << text;
}

TEST_F(SelectionTest, WhatSaysTheSameAsTheChosenIsLeftOutAndNamed) {
  shelf.add(account);
  shelf.add(account);
  shelf.add(
      "The pier of Skagen was built when the ferries came, whose crews had asked the council for a pier each year.");
  const Selection selection = select_for("When was the pier of Skagen built?", 60);
  ASSERT_EQ(selection.chosen.size(), 2U);
  EXPECT_EQ(selection.chosen[1].index, 2U);
  ASSERT_EQ(selection.repeats.size(), 1U);
  EXPECT_EQ(selection.repeats[0], selection.chosen[0].index == 0 ? 1U : 0U);
}

TEST_F(SelectionTest, WhatDiffersInANameOrANumberIsNoDuplicate) {
  for (const auto& [before, after] : {std::pair{"1894", "1902"}, std::pair{"Skagen", "Hirtshals"}}) {
    Shelf two;
    std::string other = account;
    other.replace(other.find(before), std::string_view(before).size(), after);
    two.add(account);
    two.add(other);
    two.add("Ropes for the pier are kept in a shed that stands behind the old customs house of the town, by the road.");
    const Selection selection = select({two.slice()}, ask("When were the piers built?", 60), *counter);
    EXPECT_TRUE(selection.repeats.empty());
    EXPECT_TRUE(has(text_of(selection), before) && has(text_of(selection), after)) << text_of(selection);
  }
}

TEST_F(SelectionTest, LinesThatDifferInTheirNumberAloneLeaveRoomForAnother) {
  std::string page;
  for (int i = 0; i < 110; ++i) page += "Key number " + std::to_string(i) + " is as it should be.\n";
  shelf.add(page + "The keys hang in the hall.\n");
  shelf.add("Larks sing in the morning.");
  for (const std::int64_t tokens : {60, 300, 600})
    EXPECT_TRUE(has(text_of(select_for("What is said of the keys?", tokens)), "hang in the hall")) << tokens;
}

TEST_F(SelectionTest, OfAFileThatWasReadTwiceTheNewestReadingAnswers) {
  std::string file;
  for (int i = 0; i < 60; ++i) file += "tide" + std::string(1, static_cast<char>('a' + i % 26)) + " = harbour\n";
  const std::string call = R"(read({"path": "limits.conf"}))";
  shelf.add("tool: " + file + "queue = 10089\n", Speaker::tool, ContentFormat::code, call);
  shelf.add("tool: " + file + "queue = 99\n", Speaker::tool, ContentFormat::code, call);
  const std::string chosen = text_of(select_for("What is queue in limits.conf?", 40));
  EXPECT_TRUE(has(chosen, "queue = 99")) << chosen;
  EXPECT_FALSE(has(chosen, "10089")) << chosen;
}

TEST_F(SelectionTest, TheFunctionThatIsAskedForComesBeforeThoseThatCallIt) {
  std::string callers;
  for (const char* name : {"moor", "turn", "haul"})
    callers += std::string("int ") + name + "_all(int rope) {\n  drain(rope);\n  return rope + 1;\n}\n\n";
  shelf.add(callers, Speaker::document, ContentFormat::code);
  shelf.add("int drain(int gate) {\n  int level = open_at(gate);\n  return level - 1;\n}\n", Speaker::document,
            ContentFormat::code);
  shelf.add(callers, Speaker::document, ContentFormat::code);
  const std::string chosen = text_of(select_for("How does drain work?", 25));
  EXPECT_TRUE(has(chosen, "return level - 1;")) << chosen;
}

TEST_F(SelectionTest, ALineOfAResultThatIsNamedIsChosenWhateverTheResultIsAbout) {
  std::string about;
  std::string other;
  for (int i = 0; i < 4; ++i) about += i % 2 == 0 ? "pay(harbour, fee)\n" : "fee(harbour, crown)\n";
  for (int i = 0; i < 40; ++i) other += "wait(tide, pilot, rope)\n";
  shelf.add(about, Speaker::tool, ContentFormat::code);
  shelf.add(other + "pay(harbour, fee, lighthouse)\n" + other, Speaker::tool, ContentFormat::code);
  const std::string chosen = text_of(select_for("harbour fee lighthouse", 40));
  EXPECT_TRUE(has(chosen, "lighthouse")) << chosen;
}

TEST_F(SelectionTest, TheMemberOfAJsonRecordThatIsAskedForIsChosen) {
  for (const Speaker speaker : {Speaker::tool, Speaker::document}) {
    Shelf records;
    records.add(parcels(), speaker, ContentFormat::json);
    const std::string chosen = text_of(select({records.slice()}, ask("Where is order W1077?", 30), *counter));
    EXPECT_TRUE(has(chosen, R"("id": "W1077")")) << chosen;
  }
}

TEST_F(SelectionTest, AJsonRecordThatASummaryIsAskedForComesOutWhole) {
  Artifact artifact;
  artifact.content = parcels();
  const SelectedText summary = Retriever().summarize(artifact, "Where is order W1077?", 200, *counter);
  const std::string record = R"("id": "W1077", "carrier": "Postal 0", "state": "on its way", "weight": 231)";
  EXPECT_TRUE(has(summary.text, record)) << summary.text;
}

TEST_F(SelectionTest, WhatIsBelowAHundredthOfTheBestIsLeftOutWhereThereIsRoom) {
  add_conversation();
  const Selection selection = select_for("harbour fee", 100'000);
  ASSERT_GT(selection.relevance.at(60), 0);
  ASSERT_LT(selection.relevance.at(60), 0.01);
  std::size_t relevant = 0;
  for (const double r : selection.relevance) relevant += r >= 0.01 ? 1 : 0;
  EXPECT_GT(relevant, 1U);
  EXPECT_EQ(selection.chosen.size(), relevant);
  SelectionWeights uncut;
  uncut.least = 0;
  EXPECT_EQ(select({shelf.slice()}, ask("harbour fee", 100'000), *counter, uncut).chosen.size(), 61U);
}

TEST_F(SelectionTest, PlanningIsCutAtAFifthOfTheBest) {
  shelf.add("The harbour fee of ships is due in spring.");
  for (const char* text : {"Larks come back in spring.", "The harbour fee is high.", "Snow melts in spring."})
    shelf.add(text);
  SelectionRequest request = ask("Is the harbour fee of ships due in spring?", 1'000);
  EXPECT_EQ(select({shelf.slice()}, request, *counter).chosen.size(), 4U);
  request.goal = ContextGoal::planning;
  const Selection planning = select({shelf.slice()}, request, *counter);
  ASSERT_EQ(planning.chosen.size(), 2U);
  EXPECT_EQ(planning.chosen[1].index, 2U);
  EXPECT_LT(planning.relevance[1], 0.2);
}

TEST_F(SelectionTest, ADocumentOfWhichHalfIsChosenGoesWholeWhereTheRestIsSmall) {
  const std::string page =
      "# Harbour\n\nFor pine wood the harbour fee of a boat is due in May.\n\nShow all answers\n\n# Fees\n\n"
      "A boat pays the harbour fee at the pier, where it is due.\n\nShow all answers\n\n# Dogs\n\nShow all answers\n";
  shelf.add(page);
  const std::vector<std::string> woods = {"amber", "birch", "cedar", "daisy", "elder", "fern", "gorse", "hazel"};
  for (const std::string& wood : woods) shelf.add("A boat of " + wood + " pays a harbour fee which is due in spring.");
  for (const std::int64_t tokens : {130, 145, 160}) {
    const Selection selection =
        select({shelf.slice()}, ask("When is the harbour fee of a boat due?", tokens), *counter);
    ASSERT_FALSE(selection.chosen.empty());
    EXPECT_EQ(selection.chosen[0].view, ArtifactView::full) << text_of(selection);
  }
}

TEST_F(SelectionTest, AnEmptyQueryFillsTheRoom) {
  for (int i = 0; i < 9; ++i) shelf.add("Larks sing over meadow number " + std::to_string(i));
  const Selection selection = select_for("", 30);
  EXPECT_EQ(selection.chosen.size(), 3U);
  EXPECT_GT(selection.tokens, 20);
  EXPECT_EQ(selection.relevance, std::vector<double>(9, 0));
}

TEST_F(SelectionTest, NothingToChooseFromOrNoRoomGivesNothing) {
  EXPECT_TRUE(select({}, ask("harbour", 100), *counter).chosen.empty());
  EXPECT_TRUE(select_for("harbour", 100).chosen.empty());
  shelf.add("");
  EXPECT_TRUE(select_for("harbour", 100).chosen.empty());
  shelf.add("harbour");
  for (const std::int64_t tokens : {-5, 0, 1}) EXPECT_TRUE(select_for("harbour", tokens).chosen.empty()) << tokens;
  EXPECT_EQ(select_for("harbour", 3).chosen.size(), 1U);
}

TEST_F(SelectionTest, RelevanceIsListedForAVeryLongHistoryToo) {
  for (int i = 0; i < 5'000; ++i) shelf.add("larks");
  shelf.add("harbour");
  const Selection selection = select_for("harbour", 10);
  ASSERT_EQ(selection.relevance.size(), 5'001U);
  EXPECT_DOUBLE_EQ(selection.relevance.back(), 1);
  EXPECT_LT(selection.relevance.front(), 1);
}

TEST_F(SelectionTest, RankGivesTheBestPassagesFirstAndWhereTheyStand) {
  const std::string answer = "Die Hafengebühr für Schiffe ist fällig.";
  shelf.add("Schiffe fahren über den See.\n\n" + answer + "\n\nDie Lerchen singen wieder.\n\nDie Schiffe ruhen.");
  shelf.add("Der Schnee schmilzt.");
  const auto ranked = rank({shelf.slice()}, "Hafengebühr Schiffe", {}, 2);
  ASSERT_EQ(ranked.size(), 2U);
  ASSERT_EQ(ranked[0].hits.size(), 2U);
  const RetrievalHit& best = ranked[0].hits[0];
  EXPECT_DOUBLE_EQ(best.score, 1);
  EXPECT_EQ(shelf.text(0).substr(best.span.offset, best.span.length), answer);
  const RetrievalHit& second = ranked[0].hits[1];
  EXPECT_LT(second.score, 1);
  EXPECT_EQ(shelf.text(0).substr(second.span.offset, second.span.length), "Schiffe fahren über den See.");
  EXPECT_TRUE(ranked[1].hits.empty());
}

TEST_F(SelectionTest, RankFindsNothingForAnEmptyQuery) {
  EXPECT_TRUE(rank({}, "harbour", {}, 3).empty());
  shelf.add("harbour");
  for (const char* query : {"", "zebra"}) {
    const auto ranked = rank({shelf.slice()}, query, {}, 3);
    ASSERT_EQ(ranked.size(), 1U);
    EXPECT_EQ(ranked[0].relevance, 0);
    EXPECT_TRUE(ranked[0].hits.empty());
  }
}

// What the context would hold, framing of messages apart.
std::string joined(const Selection& selection, const SelectionRequest& request) {
  std::string text;
  for (const SelectedText& chosen : selection.chosen) {
    if (!text.empty()) text += request.separator;
    text += request.headers[chosen.index] + "\n";
    text += chosen.text;
  }
  return text;
}

RC_GTEST_PROP(SelectionPropertyTest, IsNeverOverBudgetWithHeaders, ()) {
  const auto texts = *rc::gen::resize(10, rc::gen::container<std::vector<std::string>>(test::any_text()));
  std::vector<Artifact> artifacts;
  TextIndex index;
  SelectionRequest request = ask("alpha W123 key error 日本語", *rc::gen::inRange(-3, 300));
  for (const std::string& text : texts) {
    artifacts.emplace_back();
    artifacts.back().content = text;
    ItemText item;
    item.text = text;
    item.format = *test::any_format();
    item.speaker = *rc::gen::element(Speaker::document, Speaker::user, Speaker::tool);
    index.append(item);
    request.headers.push_back("# " + std::to_string(artifacts.size()));
  }
  request.goal = *rc::gen::element(ContextGoal::planning, ContextGoal::synthesis);
  request.separator = *rc::gen::element<std::string>("", "\n", "\n\n----\n\n");
  const auto counter = chars4();
  const Selection selection = select(slices_of(index, artifacts, request), request, *counter);
  RC_ASSERT(counter->count(joined(selection, request)) <= std::max<std::int64_t>(request.budget_tokens, 0));
  RC_ASSERT(selection.tokens == counter->count(joined(selection, request)));
  for (std::size_t i = 1; i < selection.chosen.size(); ++i)
    RC_ASSERT(selection.chosen[i - 1].index < selection.chosen[i].index);
}

TEST_F(SelectionTest, AHeadingComesWithSomethingThatStandsUnderIt) {
  std::string manual = "# Options\n\n";
  for (const char* name : {"fees", "fees-all", "fees-none", "tolls", "tolls-all"})
    manual += std::string("## --") + name + "\n\nIt is read from the file that the harbour keeps of " + name + ".\n\n";
  shelf.add(manual, Speaker::document, ContentFormat::markdown);
  for (const std::int64_t tokens : {20, 30, 40, 60}) {
    const auto text = text_of(select_for("fees", tokens));
    for (std::size_t at = text.find("## "); at != std::string::npos; at = text.find("## ", at + 1))
      EXPECT_EQ(text.substr(text.find('\n', at), 9), "\n\nIt is r") << text;
  }
}

}  // namespace
}  // namespace ctxmgr::engine
