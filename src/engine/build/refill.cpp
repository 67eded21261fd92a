#include "engine/build/refill.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/extracts/data_block.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t least_gain_tokens = 16;
constexpr std::int64_t join_tokens = 4;  // Between what is there and what is added.
constexpr std::string_view joint = "\n\n";

class Refill {
 public:
  Refill(const FillInput& input, Filled& filled)
      : input_(input), filled_(filled), query_(plan_query({input.inputs, input.prepared, input.layout})) {
    measure();
  }

  std::vector<ArtifactDecision> run() {
    const auto order = most_relevant_first();
    for (const auto item : order)
      if (may_grow(item)) show_more(item);
    const bool older_is_left_out = input_.outcome.older && is_left_out(input_.outcome.items.size() - 1);
    if (!older_is_left_out) show_excerpts();
    if (is_given()) return {};
    for (const auto item : order)
      if (is_left_out(item)) show_more(item);
    if (older_is_left_out) show_excerpts();
    share_again(order);
    return std::move(decisions_);
  }

 private:
  /// Passages below summaries are in no plan: they get what all others leave, as they will where the plan is given back.
  void share_again(const std::vector<std::size_t>& order) {
    if (summaries_.empty()) return;
    for (const auto& [item, summary] : summaries_) {
      if (!is_summary(item)) continue;
      filled_.texts[item] = summary;
      show(item);
    }
    measure();
    for (const auto item : order)
      if (is_summary(item) && !is_left_out(item)) show_more(item);
  }

  /// What is left of the block's room.
  void measure() {
    const auto& counter = *input_.prepared.counter;
    const auto& parts = filled_.parts;
    free_ = input_.layout.block_tokens - (input_.layout.everything ? 0 : input_.prepared.index_tokens);
    free_ -= parts.block.empty() ? input_.prepared.overhead_tokens : counter.count_message(render(parts.block));
    for (const auto& text : parts.step_results) free_ -= counter.count(text);
  }

  bool is_given() const { return input_.outcome.source == PlanSource::given; }

  // Before what is left out. What stays of a given plan is said with it.
  bool may_grow(std::size_t item) const { return !is_left_out(item) && (!is_given() || is_summary(item)); }

  bool is_summary(std::size_t item) const { return filled_.texts[item].strategy == ProcessingStrategy::summarize; }

  std::vector<std::size_t> most_relevant_first() const {
    std::vector<std::size_t> order(input_.prepared.gathered.items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto& relevance = input_.layout.relevance;
    std::stable_sort(order.begin(), order.end(),
                     [&relevance](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
    return order;
  }

  bool is_left_out(std::size_t item) const {
    return input_.outcome.decisions[item].strategy == ProcessingStrategy::exclude;
  }

  /// Of what the layout would have sent of the item, as much as there is room for.
  void show_more(std::size_t item) {
    const auto& wanted = input_.layout.items[item];
    const auto& shown = filled_.texts[item];
    if (!wanted || shown.strategy == ProcessingStrategy::include_full || shown.text == wanted->text) return;
    const bool is_new = shown.strategy == ProcessingStrategy::exclude;
    const auto frame = is_new ? input_.outcome.items[item].header_tokens : join_tokens;
    const auto has = is_new || is_summary(item) ? 0 : shown.tokens;
    const auto target = std::min(wanted->tokens, has + free_ - frame);
    if (target < has + least_gain_tokens) return;
    const auto& own = input_.outcome.decisions[item].extraction_query;
    const auto& query = own.empty() ? query_ : own;
    const bool as_wanted = query == query_ && target >= wanted->tokens;
    auto more = as_wanted ? *wanted
                          : input_.inputs.services->retriever.extract(*input_.outcome.items[item].artifact, query,
                                                                      target, *input_.prepared.counter);
    if (more.text.empty() || more.tokens <= has) return;
    free_ -= more.tokens - has + frame;
    put(item, query, target, std::move(more));
  }

  /// A summary stays, with the passages below it; anything else is replaced.
  void put(std::size_t item, const std::string& query, std::int64_t target, SelectedText more) {
    auto& text = filled_.texts[item];
    const auto strategy = strategy_of(more.view);
    if (is_summary(item) && strategy == ProcessingStrategy::rag_extract) {
      summaries_.emplace(item, text);
      text.text.append(joint).append(more.text);
      text.tokens += more.tokens + join_tokens;
      text.reason = "with passages in the room that the plan left";
    } else {
      text = {
          strategy, std::move(more.text), more.tokens, false,
          text.reason.empty() ? "in the room that the plan left" : text.reason + "; in the room that the plan left"};
      note(item, strategy, query, target);
    }
    show(item);
  }

  void note(std::size_t item, ProcessingStrategy strategy, const std::string& query, std::int64_t target) {
    auto decision = input_.outcome.decisions[item];
    decision.strategy = strategy;
    decision.extraction_query = query;
    decision.target_tokens = target;
    decisions_.push_back(std::move(decision));
  }

  void show(std::size_t number) {
    const auto& item = input_.outcome.items[number];
    const auto& text = filled_.texts[number];
    if (item.kind == ItemKind::step_result) {
      filled_.parts.step_results[item.step_result] = text.text;
      return;
    }
    auto& entries = filled_.parts.block.entries;
    BlockEntry entry{number, header_of(*item.artifact, text.strategy), text.text};
    const auto at =
        std::find_if(entries.begin(), entries.end(), [number](const BlockEntry& e) { return e.item == number; });
    if (at != entries.end()) {
      *at = std::move(entry);
      return;
    }
    // Excerpts of messages come first, then artifacts in their order.
    const auto artifacts = input_.prepared.gathered.items.size();
    const auto next = std::find_if(entries.begin(), entries.end(), [number, artifacts](const BlockEntry& e) {
      return e.item < artifacts && e.item > number;
    });
    entries.insert(next, std::move(entry));
  }

  /// More of what the plan looks for in earlier turns; the layout's choice of them where it looks for nothing.
  void show_excerpts() {
    const auto& older = input_.layout.older;
    if (!input_.outcome.older || older.empty()) return;
    const auto last = input_.outcome.items.size() - 1;
    if (is_given() && !is_summary(last)) return;
    const auto& own = input_.outcome.decisions[last].extraction_query;
    if (!filled_.excerpts.empty() && !own.empty() && own != query_) return look_for_more(last, own);
    const auto has = tokens_of(filled_.excerpts);
    auto pieces = older;
    while (!pieces.empty() && tokens_of(pieces) - has > free_)
      pieces.erase(std::min_element(pieces.begin(), pieces.end(), less_relevant));
    if (tokens_of(pieces) < has + least_gain_tokens) return;
    free_ -= tokens_of(pieces) - has;
    if (!is_summary(last)) note(last, ProcessingStrategy::rag_extract, query_, sum_of(pieces));
    put_excerpts(last, std::move(pieces));
  }

  /// What the plan looks for, with the room that is left.
  void look_for_more(std::size_t last, const std::string& query) {
    const auto has = sum_of(filled_.excerpts);
    const auto target = std::min(has + free_, most_for(last));
    if (target < input_.outcome.decisions[last].target_tokens + least_gain_tokens) return;
    const CallOptions unhurried;
    Pace pace(unhurried, *input_.inputs.services->options.clock);
    auto pieces = excerpts_for(query, target, input_.layout, {input_.inputs, input_.prepared, input_.known, pace});
    if (sum_of(pieces) < has + least_gain_tokens) return;
    free_ -= sum_of(pieces) - has;
    note(last, ProcessingStrategy::rag_extract, query, target);
    put_excerpts(last, std::move(pieces));
  }

  /// What a plan that is given back may say of the item, so that it gets as much again.
  std::int64_t most_for(std::size_t item) const {
    const auto& outcome = input_.outcome;
    auto room = block_room({input_.inputs, input_.prepared, input_.layout});
    for (std::size_t i = 0; i < outcome.decisions.size(); ++i) {
      const auto& decision = decision_on(i);
      if (i == item)
        room -= outcome.items[i].header_tokens;
      else if (decision.strategy != ProcessingStrategy::exclude)
        room -= decision.target_tokens + outcome.items[i].header_tokens;
    }
    return std::min(room, outcome.items[item].tokens - 1);
  }

  const ArtifactDecision& decision_on(std::size_t item) const {
    const auto& planned = input_.outcome.decisions[item];
    const auto changed = std::find_if(decisions_.begin(), decisions_.end(), [&planned](const ArtifactDecision& d) {
      return d.artifact_id == planned.artifact_id;
    });
    return changed == decisions_.end() ? planned : *changed;
  }

  static bool less_relevant(const SelectedText& a, const SelectedText& b) { return a.relevance < b.relevance; }

  static std::int64_t tokens_of(const std::vector<SelectedText>& pieces) {
    std::int64_t sum = 0;
    for (const auto& piece : pieces) sum += piece.tokens + piece_frame_tokens;
    return sum;
  }

  void put_excerpts(std::size_t last, std::vector<SelectedText> excerpts) {
    auto pieces = render_pieces(input_.inputs.context.conversation_history, excerpts);
    auto& entries = filled_.parts.block.entries;
    const auto at =
        std::find_if(entries.begin(), entries.end(), [last](const BlockEntry& e) { return e.item == last; });
    auto& text = filled_.texts[last];
    if (is_summary(last) && at != entries.end()) {
      at->text.append(joint).append(pieces);
      text.text = at->text;
    } else {
      text.strategy = ProcessingStrategy::rag_extract;
      if (at != entries.end())
        at->text = std::move(pieces);
      else
        entries.insert(entries.begin(), {last, {}, std::move(pieces)});
    }
    filled_.excerpts = std::move(excerpts);
  }

  // As `tokens_of_excerpts` has it.
  static std::int64_t sum_of(const std::vector<SelectedText>& excerpts) {
    std::int64_t tokens = 0;
    for (const auto& excerpt : excerpts) tokens += excerpt.tokens + 1;
    return tokens;
  }

  static constexpr std::int64_t piece_frame_tokens = 8;  // "[12] user: ", a tool's call

  const FillInput& input_;
  Filled& filled_;
  std::string query_;  ///< What the layout's own extracts answer.
  std::int64_t free_ = 0;
  std::vector<ArtifactDecision> decisions_;
  std::map<std::size_t, ProcessedText> summaries_;  ///< As they were without passages.
};

}  // namespace

std::vector<ArtifactDecision> refill(const FillInput& input, Filled& filled) {
  // The layout's own choice is shown.
  const auto source = input.outcome.source;
  if (source == PlanSource::none || source == PlanSource::deterministic) return {};
  if (input.inputs.request.planning.mode == PlannerMode::none) return {};
  return Refill(input, filled).run();
}

void replace_decisions(const std::vector<ArtifactDecision>& decisions, ArtifactPlan& plan) {
  for (const auto& decision : decisions) {
    const auto same = [&](const ArtifactDecision& d) { return d.artifact_id == decision.artifact_id; };
    const auto planned = std::find_if(plan.artifacts.begin(), plan.artifacts.end(), same);
    if (planned != plan.artifacts.end()) *planned = decision;
  }
}

}  // namespace ctxmgr::engine
