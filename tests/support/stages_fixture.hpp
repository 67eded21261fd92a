#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/build/archive.hpp"
#include "engine/build/evidence.hpp"
#include "engine/build/layout.hpp"
#include "engine/build/plan.hpp"
#include "engine/build/receipt.hpp"
#include "engine/build/remember.hpp"
#include "engine/build/verify.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {

inline SelectedText view_of(ArtifactView view, std::int64_t tokens, std::string reason) {
  SelectedText text;
  text.view = view;
  text.tokens = tokens;
  text.reason = std::move(reason);
  return text;
}

/// What each stage is called with, made by hand. A token is a byte here, so that the edges of a budget can be named.
class StagesFixture : public ::testing::Test {
 protected:
  StagesFixture() {
    options_.clock = std::make_shared<testing::ManualClock>();
    options_.token_counters = {
        make_token_counter([](std::string_view text) { return static_cast<std::int64_t>(text.size()); })};
    context_.conversation_history = {{Role::user, "question"}};
  }

  void attach(const std::string& id, const std::string& content) {
    Artifact artifact;
    artifact.artifact_id = id;
    artifact.content = content;
    context_.artifacts.push_back(std::move(artifact));
  }

  const BuildInputs& inputs() {
    if (!inputs_) {
      services_ = std::make_shared<const BuildServices>(options_);
      inputs_.emplace(BuildInputs{context_, request_, services_, {}, caller_});
    }
    return *inputs_;
  }

  Result<Prepared> prepared_by_stage() {
    Pace pace(inputs().call, *options_.clock);
    return prepare(inputs(), pace, analyses_);
  }

  /// All artifacts as items, the whole history as suffix, nothing decided yet.
  void make_by_hand(std::int64_t max_input = 1'000'000) {
    const auto& history = context_.conversation_history;
    const std::shared_ptr<const TokenCounter> texts(services(), &services()->counter_for({}));
    prepared_.emplace(Prepared{{}, std::make_shared<const ModelTokenCounter>(texts, "")});
    auto& made = *prepared_;
    analyses_.thread = std::make_unique<KnownThread>();
    ASSERT_TRUE(analyses_.thread->analysis.extend(history, *made.counter));
    made.read_thread = &analyses_.thread->analysis;
    analyses_.artifacts = std::make_unique<ArtifactSet>();
    made.read_artifacts = analyses_.artifacts.get();
    for (const auto& artifact : context_.artifacts) {
      Item item;
      item.artifact = &artifact;
      item.tokens = static_cast<std::int64_t>(artifact.content.size());
      made.gathered.items.push_back(item);
    }
    Pace pace(inputs().call, *options_.clock);
    analyses_.artifacts->update(made.gathered.items, fingerprints(made.gathered.items), *made.counter, pace);
    made.gathered.question = 0;
    made.gathered.query = text_of(history[0]);
    made.gathered.searched = made.gathered.query;
    made.handles =
        std::make_unique<MessageHandles>(inputs().request.archive, history, made.thread(), analyses_.thread->memo);
    made.views = std::make_unique<ToolResultViews>(history, made.thread(), services()->retriever, *made.counter,
                                                   made.handles.get());
    made.suffixes = std::make_unique<SuffixPlanner>(made.thread(), made.gathered.question, *made.views);
    made.budget.max_input = max_input;
    made.room = max_input;
    made.fixed.tokens = made.counter->reply_priming_tokens() + made.thread().tokens_of(0);
    const auto items = made.gathered.items.size();
    layout_.suffix = made.suffixes->everything();
    layout_.block_tokens = max_input;
    layout_.items.resize(items);
    layout_.relevance.assign(items, 0.5);
    outcome_.items = made.gathered.items;
    outcome_.decisions.resize(items);
    for (auto i = items; i > 0; --i) outcome_.least_important_first.push_back(i - 1);
  }

  /// By hand, where the last message is the question.
  void make_by_hand_asked_last() {
    make_by_hand();
    auto& gathered = prepared_->gathered;
    gathered.question = context_.conversation_history.size() - 1;
    gathered.query = text_of(context_.conversation_history.back());
    gathered.searched = gathered.query;
    prepared_->suffixes = std::make_unique<SuffixPlanner>(prepared_->thread(), gathered.question, *prepared_->views);
  }

  LayoutInput layout_input() {
    pace_.emplace(inputs().call, *options_.clock);
    return {inputs(), *prepared_, *analyses_.thread, *pace_};
  }

  Layout layout_in(std::int64_t room) {
    prepared_->room = prepared_->total_room = room;
    prepared_->budget.max_input = prepared_->fixed.tokens + room;
    return plan_layout(layout_input());
  }

  /// Every item whole.
  [[nodiscard]] std::vector<ProcessedText> all_whole() const {
    std::vector<ProcessedText> texts;
    for (const auto& artifact : context_.artifacts)
      texts.push_back({ProcessingStrategy::include_full,
                       artifact.content,
                       static_cast<std::int64_t>(artifact.content.size()),
                       false,
                       {}});
    return texts;
  }

  [[nodiscard]] std::vector<ProcessedText> with_excluded(std::size_t item) const {
    auto texts = all_whole();
    texts[item] = {};
    return texts;
  }

  const std::shared_ptr<const BuildServices>& services() {
    (void)inputs();
    return services_;
  }
  FillInput input() { return {inputs(), *prepared_, layout_, outcome_, *analyses_.thread}; }
  PlanInput plan_input() { return {inputs(), *prepared_, layout_}; }

  std::shared_ptr<testing::SpyArchive> archive() {
    if (!archive_) request_.archive = archive_ = std::make_shared<testing::SpyArchive>();
    return archive_;
  }

  ContextUtilizationMetadata receipt_of(const Verified& verified) {
    Execution execution({}, {services()->retriever, *prepared_->counter, services()->summaries}, 1);
    const ArchivedItems archived(input(), *analyses_.artifacts);
    const PreviousBuild remembered;
    return make_receipt({input(), execution, verified, archived, remembered});
  }

  Context context_;
  BuildRequest request_;
  ContextManagerOptions options_;
  Caller caller_ = Caller::nobody;
  std::shared_ptr<testing::SpyArchive> archive_;
  std::shared_ptr<const BuildServices> services_;
  std::optional<BuildInputs> inputs_;
  BorrowedAnalyses analyses_{};
  std::optional<Prepared> prepared_;
  std::optional<Pace> pace_;
  Layout layout_;
  PlanOutcome outcome_;
};

}  // namespace ctxmgr::engine
