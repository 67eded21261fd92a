#include "view/html.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace ctxpack::view::test {
namespace {

constexpr const char* hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

Step hostile_step() {
  Step step;
  step.thread = step.id = step.error = hostile;
  step.receipt.model_name = hostile;
  step.receipt.messages_limit = 100;
  step.receipt.input_tokens_used = 50;
  step.receipt.notes = {hostile};
  step.receipt.tools_left_out = {hostile};
  step.receipt.plan_reason = hostile;
  step.receipt.timings = {{hostile, {}}};
  step.receipt.artifacts_processed.resize(1);
  auto& record = step.receipt.artifacts_processed[0];
  record.artifact_id = record.source = record.reason = record.reference = hostile;
  return step;
}

TEST(HtmlTest, HostileNamesAreText) {
  for (const bool is_live : {false, true}) {
    const auto page = to_html({hostile, is_live, {hostile_step(), hostile_step()}});
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(page.find("\"'>"), std::string::npos);
    EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
  }
}

TEST(HtmlTest, AFileLoadsAndRunsNothing) {
  const auto page = to_html({"run", false, {hostile_step()}});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_EQ(page.find("url("), std::string::npos);
  EXPECT_NE(page.find("default-src &#39;none&#39;"), std::string::npos);
}

TEST(HtmlTest, NotesStandBesideTheBudgetThatTheyExplain) {
  Step step;
  step.receipt.messages_limit = 2'321;
  step.receipt.notes = {"the budget was divided"};
  const auto page = to_html({"run", false, {step, step}});
  const auto note = page.find("the budget was divided");
  EXPECT_LT(page.find("id=h-window"), note);
  EXPECT_LT(note, page.find("id=h-steps"));
  EXPECT_LT(note, page.find("id=h-artifacts"));
}

TEST(HtmlTest, NothingIsAPageToo) {
  const auto page = to_html({"run", false, {}});
  EXPECT_NE(page.find("Nothing yet"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST(HtmlTest, EveryArtifactHasARowAndLargeGroupsAreFolded) {
  Step step;
  step.receipt.artifacts_processed.resize(2'000);
  for (std::size_t i = 0; i < 2'000; ++i) {
    auto& record = step.receipt.artifacts_processed[i];
    record.artifact_id = "artifact_" + std::to_string(i) + ".";
    record.strategy = i < 3 ? ctxmgr::ProcessingStrategy::include_full : ctxmgr::ProcessingStrategy::exclude;
  }
  const auto page = to_html({"run", false, {step}});
  for (const char* id : {"artifact_0.", "artifact_999.", "artifact_1999."}) EXPECT_NE(page.find(id), std::string::npos);
  EXPECT_NE(page.find("<details id=d-whole open>"), std::string::npos);
  EXPECT_NE(page.find("<details id=d-out>"), std::string::npos);
}

TEST(HtmlTest, ManyStepsAreThinnedOutAndTheLastIsShown) {
  view::Run run{"run", false, std::vector<Step>(5'000)};
  run.steps.back().receipt.input_tokens_used = run.steps.back().receipt.messages_limit = 77;
  const auto page = to_html(run);
  std::size_t columns = 0;
  for (auto at = page.find("<div class=col>"); at != std::string::npos; at = page.find("<div class=col>", at + 1))
    ++columns;
  EXPECT_LE(columns, 200U);
  EXPECT_NE(page.find("budget 77"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::view::test
