#include "ctxmgr/engine/retriever.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "core/utf8.hpp"
#include "support/any_text.hpp"

namespace ctxmgr {
namespace {

std::unique_ptr<TokenCounter> chars4() {
  return make_token_counter(
      [](std::string_view text) { return static_cast<std::int64_t>((utf8::count_code_points(text) + 3) / 4); });
}

Artifact document(std::string content, std::string title = {}) {
  Artifact artifact;
  artifact.content = std::move(content);
  if (!title.empty()) artifact.metadata["title"] = std::move(title);
  return artifact;
}

Artifact file_result(std::string content, std::string arguments) {
  Artifact artifact = document(std::move(content));
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.metadata["tool_name"] = "read_file";
  artifact.metadata["tool_arguments"] = std::move(arguments);
  return artifact;
}

SelectionRequest ask(std::string query, std::int64_t tokens) {
  SelectionRequest request;
  request.query = std::move(query);
  request.budget_tokens = tokens;
  return request;
}

std::string joined(const Selection& selection, const SelectionRequest& request) {
  std::string text;
  for (const SelectedText& chosen : selection.chosen) {
    if (!text.empty()) text += request.separator;
    if (chosen.index < request.headers.size() && !request.headers[chosen.index].empty())
      text += request.headers[chosen.index] + "\n";
    text += chosen.text;
  }
  return text;
}

// The source bytes of a selected text, and the text without the marks of what was left out.
std::string from_spans(const SelectedText& chosen, const std::string& content) {
  std::string text;
  for (const TextSpan& span : chosen.spans) text += content.substr(span.offset, span.length);
  return text;
}

std::string without_marks(std::string text) {
  for (const std::string mark : {"\n\u2026\n", " \u2026 ", "\u2026 ", " \u2026"})
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.erase(at, mark.size());
  return text;
}

class RetrieverTest : public ::testing::Test {
 protected:
  Retriever retriever;
  std::unique_ptr<TokenCounter> counter = chars4();
};

TEST_F(RetrieverTest, ChoosesTheDocumentThatAnswers) {
  const std::vector<Artifact> artifacts{document("Cats sleep for most of the day and hunt at night."),
                                        document("The audit found three unpaid invoices from March."),
                                        document("Trains leave for the coast every hour until ten.")};
  const Selection selection = retriever.select(artifacts, ask("What did the audit find?", 14), *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_EQ(selection.chosen[0].index, 1U);
  EXPECT_EQ(selection.chosen[0].view, ArtifactView::full);
}

TEST_F(RetrieverTest, FollowsTheNameThatTheBestAnswerMentions) {
  const std::vector<Artifact> artifacts{
      document("Weather stations record the wind and the rain of every day.", "Weather station"),
      document("The ferry Aurora was built by Harland Marsh for the northern line.", "Aurora (ferry)"),
      document("Born in Oslo, he ran a yard with forty men and died in 1931.", "Harland Marsh"),
      document("Ropes are made of hemp, of cotton and of steel wire since long.", "Rope")};
  const Selection selection =
      retriever.select(artifacts, ask("Where was the builder of the ferry Aurora born?", 34), *counter);
  ASSERT_EQ(selection.chosen.size(), 2U);
  EXPECT_EQ(selection.chosen[0].index, 1U);
  EXPECT_EQ(selection.chosen[1].index, 2U);
}

TEST_F(RetrieverTest, OfALongDocumentThePassageThatAnswersComesWithWhatStandsAroundIt) {
  std::string content;
  for (int section = 0; section < 40; ++section) {
    for (int i = 0; i < 12; ++i)
      content += "Section " + std::to_string(section) + " talks of nets and of ropes at length. ";
    if (section == 20) content += "The harbour was dredged in spring. It took nine weeks and two ships. ";
    content += "\n\n";
  }
  const std::vector<Artifact> artifacts{document(content)};
  const Selection selection = retriever.select(artifacts, ask("When was the harbour dredged?", 200), *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_NE(selection.chosen[0].text.find("dredged in spring. It took nine weeks"), std::string::npos);
  EXPECT_NE(selection.chosen[0].text.find("Section 20"), std::string::npos);
  EXPECT_EQ(selection.chosen[0].text.find("Section 3 "), std::string::npos);
}

TEST_F(RetrieverTest, ALineOfALogIsFoundWhereItStandsAlone) {
  std::string log;
  for (int i = 0; i < 600; ++i) {
    const std::string time = "2026-03-01 08:" + std::to_string(10 + i / 60) + ":" + std::to_string(10 + i % 50);
    log += time + (i < 30 ? " INFO mailer relay ready\n" : " INFO billing order " + std::to_string(i) + " paid\n");
    if (i == 500) log += time + " ERROR mailer relay connection reset by peer\n";
  }
  const Selection selection =
      retriever.select({document(log)}, ask("When was the mailer connection reset?", 60), *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_NE(selection.chosen[0].text.find("reset by peer"), std::string::npos);
}

TEST_F(RetrieverTest, HintsSayWhatAShortQuestionRefersTo) {
  const std::vector<Artifact> artifacts{document("Apply for a library card at the desk with a passport."),
                                        document("Apply for a fishing licence at the harbour office.")};
  SelectionRequest request = ask("How do I apply?", 14);
  request.hints = {"user: Who needs a fishing licence?"};
  const Selection selection = retriever.select(artifacts, request, *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_EQ(selection.chosen[0].index, 1U);
}

TEST_F(RetrieverTest, TheNewestResultOfACallTakesTheRoom) {
  const std::vector<Artifact> artifacts{file_result("timeout = 30 seconds in the old file", R"({"path":"a.ini"})"),
                                        file_result("timeout = 45 seconds in the new file", R"({"path":"a.ini"})")};
  const Selection selection = retriever.select(artifacts, ask("timeout seconds in the old file", 10), *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_EQ(selection.chosen[0].index, 1U);
}

TEST_F(RetrieverTest, AFileReadAgainWholeSupersedesItsParts) {
  const std::string old = "timeout = 30 seconds in the old file";
  std::vector<Artifact> artifacts{file_result(old, R"({"path":"a.ini","offset":1,"limit":9})"),
                                  file_result("timeout = 45 seconds in the new file", R"({"path":"a.ini"})")};
  EXPECT_EQ(retriever.select(artifacts, ask(old, 10), *counter).chosen.at(0).index, 1U);
  artifacts[1].metadata["tool_arguments"] = R"({"path":"a.ini","offset":50})";  // Another part of it.
  EXPECT_EQ(retriever.select(artifacts, ask(old, 10), *counter).chosen.at(0).index, 0U);
}

TEST_F(RetrieverTest, AnotherToolSupersedesWhereItShowsTheSame) {
  const std::string old = "timeout = 30 seconds in the old file";
  std::vector<Artifact> artifacts{file_result(old, R"({"path":"a.ini"})"),
                                  file_result("timeout = 45 seconds in the new file", R"({"command":"cat a.ini"})")};
  artifacts[1].metadata["tool_name"] = "shell";
  EXPECT_EQ(retriever.select(artifacts, ask(old, 10), *counter).chosen.at(0).index, 1U);
  artifacts[1].content = "9 lines, 12 words, 300 bytes of timeout";
  EXPECT_EQ(retriever.select(artifacts, ask(old, 10), *counter).chosen.at(0).index, 0U);
}

TEST_F(RetrieverTest, KeepsIdentifiersOfToolResults) {
  std::string orders = R"({"note":")" + std::string(400, 'x') + R"(","orders":["W1234567","W7654321"]})";
  const std::vector<Artifact> artifacts{file_result(orders, "{}"), document("I would like to return my order please.")};
  const Selection selection = retriever.select(artifacts, ask("return my order", 30), *counter);
  EXPECT_NE(joined(selection, ask("", 0)).find("W7654321"), std::string::npos);
}

TEST_F(RetrieverTest, UntrustedTextLeavesRoomForTrustedTextOfEqualRelevance) {
  std::vector<Artifact> artifacts{document(""), document("")};
  for (int i = 0; i < 20; ++i) {
    artifacts[0].content += "The launch code number " + std::to_string(i) + " is kept in the red safe. ";
    artifacts[1].content += "The launch code number " + std::to_string(i + 40) + " is kept in the tin box. ";
  }
  artifacts[1].trust = Trust::trusted;
  const Selection selection = retriever.select(artifacts, ask("Where is the launch code kept?", 120), *counter);
  std::int64_t untrusted = 0;
  for (const SelectedText& chosen : selection.chosen)
    if (chosen.index == 0) untrusted = chosen.tokens;
  EXPECT_LE(untrusted, 36);
}

TEST_F(RetrieverTest, CountsHeadersAndSeparators) {
  std::vector<Artifact> artifacts;
  SelectionRequest request = ask("alpha beta", 40);
  for (int i = 0; i < 9; ++i) {
    artifacts.push_back(document("alpha beta gamma " + std::to_string(i)));
    request.headers.push_back("# document number " + std::to_string(i));
  }
  const Selection selection = retriever.select(artifacts, request, *counter);
  ASSERT_GT(selection.chosen.size(), 1u);
  EXPECT_EQ(selection.tokens, counter->count(joined(selection, request)));
  EXPECT_LE(selection.tokens, 40);
}

TEST_F(RetrieverTest, NoRoomGivesNothing) {
  const std::vector<Artifact> artifacts{document("alpha beta")};
  for (const std::int64_t tokens : {-1, 0})
    EXPECT_TRUE(retriever.select(artifacts, ask("alpha", tokens), *counter).chosen.empty());
  EXPECT_TRUE(retriever.select({}, ask("alpha", 100), *counter).chosen.empty());
}

TEST_F(RetrieverTest, AnyFigureWillDo) {
  const std::vector<Artifact> artifacts{document("alpha beta"), document("alpha gamma")};
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(retriever.select(artifacts, ask("alpha", most), *counter).chosen.size(), 2U);
}

TEST_F(RetrieverTest, PlanningLeavesOutWhatIsHardlyRelevant) {
  const std::vector<Artifact> artifacts{
      document("The harbour fee for ships is paid at the harbour office every spring."),
      document("Fishermen painted the boats and mended the nets in spring."), document("Larks come back in spring."),
      document("Snow melts in spring."), document("Bells ring in spring.")};
  SelectionRequest request = ask("Where is the harbour fee for ships paid in spring?", 60);
  EXPECT_GE(retriever.select(artifacts, request, *counter).chosen.size(), 4U);
  request.goal = ContextGoal::planning;
  const Selection planning = retriever.select(artifacts, request, *counter);
  ASSERT_EQ(planning.chosen.size(), 1U);
  EXPECT_EQ(planning.chosen[0].index, 0U);
}

TEST_F(RetrieverTest, RoomIsNotFilledWithWhatNothingSpeaksFor) {
  std::vector<Artifact> artifacts{document("The harbour fee is paid at the harbour office.")};
  for (int i = 0; i < 50; ++i) artifacts.push_back(document("Larks sing over meadow " + std::to_string(i) + "."));
  EXPECT_EQ(retriever.select(artifacts, ask("harbour fee", 10'000), *counter).chosen.size(), 1U);
  EXPECT_EQ(retriever.select(artifacts, ask("zzz", 10'000), *counter).chosen.size(), 51U);
}

TEST_F(RetrieverTest, ALongDocumentIsNotFilledUpFarFromWhatMatches) {
  std::string content = "The harbour fee is paid at the harbour office. ";
  for (int i = 0; i < 8'000; ++i) {  // Words that come once each.
    for (int n = i; n > 0; n /= 26) content += static_cast<char>('a' + n % 26);
    content += i % 6 == 5 ? "yq. " : "xk ";
  }
  const Selection selection = retriever.select({document(content)}, ask("harbour fee", 10'000), *counter);
  ASSERT_EQ(selection.chosen.size(), 1U);
  EXPECT_LT(selection.tokens, 4'000);
}

TEST_F(RetrieverTest, TheSentenceBesideTheOneThatMatchesComesBeforeOneFarAway) {
  const std::vector<Artifact> artifacts{document(
      "The zebra crossed the road. It was seen at noon. Bread is baked at four. Trains leave at ten. Ropes are "
      "made of hemp. Cats sleep by day.")};
  const SelectionRequest request = ask("zebra", 21);
  EXPECT_EQ(joined(retriever.select(artifacts, request, *counter), request),
            "The zebra crossed the road. It was seen at noon. Bread is baked at four. \u2026");
}

TEST_F(RetrieverTest, PlanningTakesPassagesOfSeveralWhereSynthesisTakesDetailOfOne) {
  const std::vector<Artifact> artifacts{
      document(
          "The pump valve of the northern station snapped on Monday morning. Nobody on the night shift saw anything "
          "else there that day, and all of them went home early."),
      document(
          "The pump valve of the southern station was swapped one year before. It was a warm month and many people "
          "of the village went to the lake for a swim."),
      document("Ropes are made of hemp."),
      document("Trains leave at ten."),
      document("Cats sleep by day."),
      document("Snow fell in March.")};
  SelectionRequest request = ask("Where has the pump valve of the station snapped?", 42);
  EXPECT_EQ(joined(retriever.select(artifacts, request, *counter), request), artifacts[0].content);
  request.goal = ContextGoal::planning;
  const Selection planning = retriever.select(artifacts, request, *counter);
  ASSERT_EQ(planning.chosen.size(), 2U);
  EXPECT_EQ(planning.chosen[0].view, ArtifactView::extract);
  EXPECT_EQ(planning.chosen[1].index, 1U);
}

TEST_F(RetrieverTest, PlanningWithoutAMatchStillFillsTheRoom) {
  SelectionRequest request = ask("zzz", 60);
  request.goal = ContextGoal::planning;
  EXPECT_EQ(retriever.select({document("Anything at all.")}, request, *counter).chosen.size(), 1U);
}

TEST_F(RetrieverTest, RankGivesPassagesByScore) {
  const auto ranked =
      retriever.rank({document("Nothing here at all."), document("The key is under the mat. Birds sing in spring.")},
                     "Where is the key?", {}, 1);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_DOUBLE_EQ(ranked[1].relevance, 1);
  ASSERT_EQ(ranked[1].hits.size(), 1U);
  EXPECT_EQ(ranked[1].hits[0].span.offset, 0U);
  EXPECT_TRUE(ranked[0].hits.empty());
}

TEST_F(RetrieverTest, AnEmbedderMovesWhatItFindsCloserForward) {
  const auto embedder =
      make_embedder([](const std::vector<std::string_view>& texts, EmbeddingInput, const CallOptions&) {
        Embeddings embeddings;
        for (const std::string_view text : texts) {
          const bool vehicle =
              text.find("car") != std::string_view::npos || text.find("automobile") != std::string_view::npos;
          embeddings.vectors.push_back(vehicle ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
        }
        return Result<Embeddings>(embeddings);
      });
  const std::vector<Artifact> artifacts{document("Repair of boats and the harbour."),
                                        document("An automobile needs oil."), document("Nothing to see in this one.")};
  SelectionRequest request = ask("repair a car", 8);
  const double lexical = retriever.select(artifacts, request, *counter).relevance[1];
  request.embedder = embedder.get();
  EXPECT_GE(retriever.select(artifacts, request, *counter).relevance[1], lexical);
  EXPECT_TRUE(retriever.select(artifacts, request, *counter).embedder_error.empty());
}

TEST_F(RetrieverTest, APassageInTheMiddleOfADocumentIsFoundByItsMeaningAlone) {
  const auto embedder =
      make_embedder([](const std::vector<std::string_view>& texts, EmbeddingInput input, const CallOptions&) {
        Embeddings embeddings;
        for (const std::string_view text : texts) {
          const bool meant = input == EmbeddingInput::query || text.find("lorry") != std::string_view::npos;
          embeddings.vectors.push_back(meant ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
        }
        return Result<Embeddings>(embeddings);
      });
  std::string report;
  for (int part = 0; part < 30; ++part) {
    report += "# Part " + std::to_string(part) + "\n\n";
    for (int i = 0; i < 20; ++i)
      report += part == 14 ? "A lorry was loaded on day " + std::to_string(i) + ". "
                           : "Boats came into harbour " + std::to_string(part) + " on day " + std::to_string(i) + ". ";
    report += "\n\n";
  }
  const std::vector<Artifact> artifacts = {document("The vehicle that was parked is blue."), document(report)};
  // Words find nothing, and words find another document.
  for (const char* question : {"truck", "Which vehicle was parked?"}) {
    SelectionRequest request = ask(question, 300);
    EXPECT_EQ(joined(retriever.select(artifacts, request, *counter), request).find("lorry"), std::string::npos);
    request.embedder = embedder.get();
    EXPECT_NE(joined(retriever.select(artifacts, request, *counter), request).find("lorry"), std::string::npos);
  }
}

TEST_F(RetrieverTest, AFailingEmbedderLeavesTheLexicalChoice) {
  const auto embedder = make_embedder([](const std::vector<std::string_view>&, EmbeddingInput, const CallOptions&) {
    return Result<Embeddings>(fail(ErrorCode::unavailable, "down"));
  });
  const std::vector<Artifact> artifacts{document("alpha beta"), document("gamma delta")};
  SelectionRequest request = ask("gamma", 4);
  const Selection lexical = retriever.select(artifacts, request, *counter);
  request.embedder = embedder.get();
  const Selection selection = retriever.select(artifacts, request, *counter);
  EXPECT_EQ(selection.embedder_error, "down");
  EXPECT_EQ(joined(selection, request), joined(lexical, request));
}

TEST_F(RetrieverTest, ALongStringInsideJsonIsCutBetweenWords) {
  std::string page = R"({"url":"x","text":")";
  for (int i = 0; i < 400; ++i) page += "filler sentence number " + std::to_string(i) + " stands here. ";
  page.insert(page.size() / 2, "The secret ingredient is saffron from Kashmir. ");
  const SelectedText extract = retriever.extract(document(page + "\"}"), "secret ingredient", 200, *counter);
  EXPECT_NE(extract.text.find("saffron"), std::string::npos);
  EXPECT_LE(extract.tokens, 200);
}

TEST_F(RetrieverTest, AShortQuestionIsReadInTheLanguageOfTheTexts) {
  const std::vector<std::vector<std::string>> cases{
      {"alte Brücken", "Der Fluss ist nicht tief und die Stadt liegt an ihm.",
       "Die Brücke ist nicht neu und sie ist aus Stein."},
      {"anciennes chansons", "Le chat est dans la maison et il ne sort pas.",
       "La chanson est dans le livre et elle est pour nous."},
      {"книгу", "Собака была не в доме, а в саду, потому что это так.", "Книги были не в доме, а у меня на работе."},
      {"数据库", "昨天晚上的会议讨论了预算问题。", "管理员重新启动了数据库服务器。"}};
  for (const auto& texts : cases) {
    const auto ranked = retriever.rank({document(texts[1]), document(texts[2])}, texts[0], {}, 1);
    EXPECT_LT(ranked[0].relevance, 0.5) << texts[0];
    EXPECT_EQ(ranked[1].relevance, 1) << texts[0];
  }
}

TEST_F(RetrieverTest, ALanguageMayBeChosenForTextsThatDoNotShowIt) {
  std::vector<Artifact> artifacts{document("Bahnhof: geschlossen"), document("Brücke: gesperrt")};
  EXPECT_EQ(retriever.rank(artifacts, "Brücken", {}, 1)[1].relevance, 0);
  for (Artifact& artifact : artifacts) artifact.metadata["language"] = "de";
  EXPECT_EQ(retriever.rank(artifacts, "Brücken", {}, 1)[1].relevance, 1);
}

TEST_F(RetrieverTest, ExtractsFindOtherFormsOfAWord) {
  const Artifact artifact = document(
      "The committee met on Monday and approved the minutes. Several members were running late that day. "
      "The new bridges will be painted green next summer. Lunch was served at noon in the hall.");
  const SelectedText extract = retriever.extract(artifact, "painting the bridge", 16, *counter);
  EXPECT_EQ(extract.view, ArtifactView::extract);
  EXPECT_NE(extract.text.find("painted green"), std::string::npos);
  EXPECT_LE(extract.tokens, 16);
}

TEST_F(RetrieverTest, ALabelEndsWhereTheTextAfterItIsLeftOut) {
  Artifact turn =
      document("Ann: " + std::string(90, 'x') + ". The parcel left on Friday. " + std::string(90, 'y') + ".");
  turn.artifact_type = ArtifactType::conversation;
  const SelectedText extract = retriever.extract(turn, "parcel", 14, *counter);
  EXPECT_EQ(extract.text, "Ann: \u2026 The parcel left on Friday. \u2026");
  EXPECT_EQ(from_spans(extract, turn.content), "Ann:The parcel left on Friday.");
}

TEST_F(RetrieverTest, AQuestionFindsWhatWasSaidOnItsDay) {
  std::vector<Artifact> turns;
  for (unsigned day = 1; day <= 20; ++day) {
    Artifact turn =
        document("Ann: We cooked dish " + std::string(1, static_cast<char>('a' + day)) + " together again.");
    turn.artifact_type = ArtifactType::conversation;
    turn.metadata["role"] = "user";
    turn.timestamp = std::chrono::sys_days(std::chrono::year(2024) / std::chrono::May / std::chrono::day(day));
    turns.push_back(std::move(turn));
  }
  for (const char* question : {"What did we cook on 12 May?", "What did we cook on 2024-05-12?"}) {
    const Selection selection = retriever.select(turns, ask(question, 15), *counter);
    ASSERT_EQ(selection.chosen.size(), 1U) << question;
    EXPECT_EQ(selection.chosen[0].index, 11U) << question;
  }
}

TEST_F(RetrieverTest, SummariesKeepErrorLines) {
  std::string log;
  for (int i = 0; i < 300; ++i) log += "2024-01-01 10:00:00 INFO request " + std::to_string(i) + " served\n";
  log += "2024-01-01 10:05:00 ERROR disk full on /var\n";
  for (int i = 0; i < 300; ++i) log += "2024-01-01 10:06:00 INFO request " + std::to_string(i) + " served\n";
  const SelectedText summary = retriever.summarize(document(log), "", 60, *counter);
  EXPECT_NE(summary.text.find("disk full"), std::string::npos);
  EXPECT_LE(summary.tokens, 60);
}

TEST_F(RetrieverTest, TheMemoChangesNothing) {
  const std::vector<Artifact> artifacts{document("alpha beta. gamma delta epsilon zeta eta theta."),
                                        document("alpha only here")};
  const Retriever forgetful(0);
  const auto first = retriever.select(artifacts, ask("alpha", 8), *counter);
  const auto second = retriever.select(artifacts, ask("alpha", 8), *counter);
  const auto third = forgetful.select(artifacts, ask("alpha", 8), *counter);
  EXPECT_EQ(joined(first, {}), joined(second, {}));
  EXPECT_EQ(joined(first, {}), joined(third, {}));
}

TEST_F(RetrieverTest, AListThatGrowsChangesOrBecomesShorterGivesWhatANewOneGives) {
  std::vector<Artifact> artifacts;
  for (int i = 0; i < 100; ++i) artifacts.push_back(document("alpha stands in number " + std::to_string(i) + "."));
  const auto expect_as_new = [&] {
    EXPECT_EQ(joined(retriever.select(artifacts, ask("alpha 42 101", 60), *counter), {}),
              joined(Retriever(0).select(artifacts, ask("alpha 42 101", 60), *counter), {}));
  };
  expect_as_new();
  artifacts.push_back(document("alpha stands in number 101, too."));
  expect_as_new();
  artifacts[42] = document("beta stands here.");
  expect_as_new();
  artifacts.resize(70);
  expect_as_new();
}

// 200 lines of a tool's result, one of which reports an error.
struct ResultForm {
  std::string head;
  std::string line;  // "%" stands for the number.
  std::string error;
  std::string tail;

  [[nodiscard]] Artifact result(int error_at) const {
    std::string all = head;
    for (int i = 0; i < 200; ++i) {
      const std::string& shape = i == error_at ? error : line;
      const std::size_t at = shape.find('%');
      all.append(shape, 0, at).append(std::to_string(100 + i)).append(shape, at + 1).append(i < 199 ? "\n" : "");
    }
    Artifact artifact = document(all + tail);
    artifact.artifact_type = ArtifactType::tool_result;
    return artifact;
  }
};

TEST_F(RetrieverTest, SummariesOfResultsKeepAnErrorWhereverItStands) {
  const ResultForm forms[] = {
      {"", "2026-03-01 08:%:00 INFO request served", "2026-03-01 08:%:00 ERROR disk full", ""},
      {"[", R"({"id": %, "state": "up"},)", R"({"id": %, "state": "failed"},)", "{}]"},
      {"", "The pump of station % moves water to the town.", "The pump of station % failed.", ""}};
  for (const ResultForm& form : forms)
    for (const int at : {0, 1, 77, 198, 199}) {
      const Artifact result = form.result(at);
      const std::string error = form.error.substr(form.error.find('%') + 1);
      const SelectedText summary = retriever.summarize(result, "", counter->count(result.content) / 10, *counter);
      EXPECT_NE(summary.text.find(std::to_string(100 + at) + error.substr(0, error.find_first_of(",}\n", 2))),
                std::string::npos)
          << at << "\n"
          << summary.text;
    }
}

TEST_F(RetrieverTest, ASummaryOfAResultBeginsAndEndsAsTheResultDoes) {
  const Artifact result =
      ResultForm{"", "Pump % moves water.", "Pump % moves water.", "\n2 stations were seen"}.result(0);
  const std::string summary = retriever.summarize(result, "", 60, *counter).text;
  EXPECT_EQ(summary.find("Pump 100"), 0U) << summary;
  EXPECT_NE(summary.find("2 stations were seen"), std::string::npos) << summary;
}

TEST_F(RetrieverTest, ASummaryAnswersItsFocus) {
  const Artifact text = document(
      "The pump of the northern station moves water. The pump was built by the old company. Birds sang in the trees "
      "all day. The station has a second pump for water.");
  const SelectedText summary = retriever.summarize(text, "Which birds sang?", 14, *counter);
  EXPECT_NE(summary.text.find("Birds sang"), std::string::npos) << summary.text;
  EXPECT_EQ(summary.view, ArtifactView::extract);
  EXPECT_EQ(retriever.summarize(text, "", 0, *counter).view, ArtifactView::none);
}

RC_GTEST_PROP(RetrieverPropertyTest, StaysInBudgetAndMapsBackToTheSource, ()) {
  const auto texts = *rc::gen::resize(12, rc::gen::container<std::vector<std::string>>(test::any_text()));
  std::vector<Artifact> artifacts;
  for (const std::string& text : texts) {
    artifacts.push_back(document(text));
    artifacts.back().artifact_type = static_cast<ArtifactType>(*rc::gen::inRange(0, 3));
    artifacts.back().content_format = *test::any_format();
  }
  const auto counter = chars4();
  const Retriever retriever;
  const SelectionRequest request = ask("alpha W123 key 日本語", *rc::gen::inRange(0, 200));
  const Selection selection = retriever.select(artifacts, request, *counter);
  RC_ASSERT(selection.tokens <= request.budget_tokens);
  RC_ASSERT(counter->count(joined(selection, request)) <= request.budget_tokens);
  for (const SelectedText& chosen : selection.chosen) {
    const std::string& content = artifacts[chosen.index].content;
    if (chosen.view == ArtifactView::full) RC_ASSERT(chosen.text == content);
    if (chosen.view != ArtifactView::extract) continue;
    std::size_t end = 0;
    for (const TextSpan& span : chosen.spans) {
      RC_ASSERT(span.offset >= end);
      end = span.offset + span.length;
      RC_ASSERT(end <= content.size());
      RC_ASSERT(utf8::floor_boundary(content, span.offset) == span.offset);
    }
    if (content.find("\u2026") == std::string::npos)
      RC_ASSERT(without_marks(chosen.text) == from_spans(chosen, content));
  }
}

RC_GTEST_PROP(RetrieverPropertyTest, SummariesAndExtractsStayInTarget, ()) {
  const Artifact artifact = document(*test::any_text());
  const auto counter = chars4();
  const Retriever retriever;
  const std::int64_t target = *rc::gen::inRange(0, 120);
  RC_ASSERT(retriever.summarize(artifact, "alpha", target, *counter).tokens <= target);
  RC_ASSERT(retriever.extract(artifact, "beta", target, *counter).tokens <= target);
  RC_ASSERT(digest(artifact, 60).find('\n') == std::string::npos);
  RC_ASSERT(utf8::count_code_points(digest(artifact, 60)) <= 60U);
}

TEST(RetrieverThreadsTest, SelectsConcurrently) {
  const Retriever retriever;
  const auto counter = chars4();
  std::vector<Artifact> artifacts;
  for (int i = 0; i < 40; ++i) artifacts.push_back(document("alpha beta " + std::to_string(i) + " gamma."));
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results)
    threads.emplace_back([&] { result = joined(retriever.select(artifacts, ask("alpha", 20), *counter), {}); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace ctxmgr
