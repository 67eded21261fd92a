#include <unistd.h>

#include <cstdio>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::planner_reply;
using testing::words;

/// Planners that change their minds, never learn, or plan for what has changed meanwhile.
class ContextManagerPlanFaultsTest : public testing::BuildTest {
 protected:
  ContextManagerPlanFaultsTest() {
    say(Role::system, "Be brief.");
    say(Role::user, "Where are the zebra and the heron?");
    attach("zebra", words(2'000, "zebra"));
    attach("heron", words(2'000, "heron"));
    use_client();
  }
  static std::string extract(const std::string& alias, const std::string& query) {
    return decision(alias, "rag_extract", query, 2'400);
  }
  std::size_t asked(LlmPurpose purpose) const {
    std::size_t count = 0;
    for (const auto& request : client_->requests()) count += request.purpose == purpose;
    return count;
  }
};

TEST_F(ContextManagerPlanFaultsTest, AnotherPlanChangesTheMaterialAloneAndTheRecordedOneBringsItBack) {
  client_->then_reply(planner_reply(extract("a1", "zebra1") + "," + decision("a2", "exclude")))
      .then_reply(planner_reply(decision("a1", "exclude") + "," + extract("a2", "heron1")));
  const auto first = build(3'000);
  const auto second = build(3'000);
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->messages.size(), 3U);
  ASSERT_EQ(second->messages.size(), 3U);
  EXPECT_EQ(text_of(first->messages[0]), text_of(second->messages[0]));
  EXPECT_NE(text_of(first->messages[1]), text_of(second->messages[1]));
  EXPECT_EQ(text_of(first->messages[2]), text_of(second->messages[2]));

  request_.plan = first->plan;
  const auto replayed = build(3'000);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(to_openai_json(replayed->messages), to_openai_json(first->messages));
  EXPECT_EQ(client_->requests().size(), 2U);
}

TEST_F(ContextManagerPlanFaultsTest, ACassetteOfThePlannerGivesTheSameBytes) {
  const auto path = ::testing::TempDir() + "plans-" + std::to_string(::getpid()) + ".jsonl";
  client_->then_reply(planner_reply(extract("a1", "zebra1") + "," + extract("a2", "heron1")));
  options_.client = *make_recording_llm_client(client_, path);
  const auto recorded = build(3'000);
  options_.client = *make_replaying_llm_client(path);
  const auto replayed = build(3'000);
  std::remove(path.c_str());
  ASSERT_TRUE(recorded && replayed);
  EXPECT_EQ(replayed->metadata.plan_source, PlanSource::llm);
  EXPECT_EQ(to_openai_json(replayed->messages), to_openai_json(recorded->messages));
}

TEST_F(ContextManagerPlanFaultsTest, APlannerThatNeverLearnsIsAskedOnce) {
  for (int i = 0; i < 5; ++i) client_->then_reply(testing::saying("I would include the zebra.", 700));
  const auto built = build(3'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(asked(LlmPurpose::context_planning), 1U);
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  EXPECT_EQ(built->metadata.planning_usage.planner.calls, 1) << "what is of no use is paid for all the same";
  EXPECT_EQ(built->metadata.planning_usage.planner.prompt_tokens, 700);
}

TEST_F(ContextManagerPlanFaultsTest, APlanForWhatIsGoneOrChangedIsCarriedOutOnWhatThereIs) {
  client_->then_reply(planner_reply(extract("a1", "zebra1") + "," + extract("a2", "heron1")));
  const auto before = build(3'000);
  ASSERT_TRUE(before);
  request_.plan = before->plan;
  context_.artifacts.erase(context_.artifacts.begin());
  context_.artifacts[0] = make_document("heron", words(2'000, "stork"));
  const auto after = build(3'000);
  ASSERT_TRUE(after) << after.error().message;
  const auto text = testing::all_text(after->messages);
  EXPECT_FALSE(contains(text, "zebra1"));
  EXPECT_FALSE(contains(text, "heron1"));
  EXPECT_TRUE(contains(text, "stork"));
  EXPECT_EQ(after->metadata.plan_repairs, std::vector<std::string>{"1 decisions on unknown artifacts dropped"});
}

/// Says nothing for as long as it may take.
class HangingClient final : public LlmClient {
 public:
  explicit HangingClient(std::shared_ptr<testing::ManualClock> clock) : clock_(std::move(clock)) {}
  Result<LlmResponse> complete(const LlmRequest& /*request*/, const CallOptions& call) override {
    const auto left = call.deadline.value() - clock_->steady_now();
    clock_->advance(std::chrono::ceil<std::chrono::milliseconds>(left));
    return fail(ErrorCode::deadline_exceeded, "no reply in time");
  }

 private:
  std::shared_ptr<testing::ManualClock> clock_;
};

/// Keeps nothing once time is up.
class PunctualArchive final : public ArtifactArchive {
 public:
  explicit PunctualArchive(std::shared_ptr<testing::ManualClock> clock) : clock_(std::move(clock)) {}
  std::string reference_of(const Artifact& artifact) const override {
    return "get_context(\"" + artifact.artifact_id + "\")";
  }
  Result<std::string> keep(const Artifact& artifact, const CallOptions& call) override {
    if (call.deadline && clock_->steady_now() >= *call.deadline) return fail(ErrorCode::deadline_exceeded, "late");
    return reference_of(artifact);
  }

 private:
  std::shared_ptr<testing::ManualClock> clock_;
};

TEST_F(ContextManagerPlanFaultsTest, APlannerThatHangsLeavesTheArchiveItsTime) {
  options_.client = std::make_shared<HangingClient>(clock_);
  request_.archive = std::make_shared<PunctualArchive>(clock_);
  CallOptions call;
  call.deadline = clock_->steady_now() + std::chrono::seconds(6);
  request_.planning.mode = PlannerMode::llm;
  const auto built = build(3'000, call);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->metadata.plan_source, PlanSource::deterministic);
  for (const auto& note : built->metadata.notes) EXPECT_FALSE(contains(note, "could not be stored")) << note;
  EXPECT_TRUE(contains(testing::all_text(built->messages), "get_context(")) << "what is cut can be fetched";
}

}  // namespace
}  // namespace ctxmgr
