#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/build/build_state.hpp"
#include "engine/build/data_block.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t least_view_tokens = 16;
constexpr int most_corrections = 8;

Fingerprint fingerprint_of(const std::vector<ConversationMessage>& messages, std::size_t count) {
  Fingerprint joined;
  for (std::size_t i = 0; i < count; ++i) joined = message_fingerprint(messages[i], joined);
  return joined;
}

}  // namespace

int usage_threshold(std::int64_t tokens, std::int64_t max_input) {
  int passed = 0;
  for (const int percent : {70, 85, 95}) {
    if (max_input > 0 && tokens * 100 >= max_input * percent) passed = percent;
  }
  return passed;
}

Result<BuiltContext> BuildState::finish() {
  if (call_.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "the build was cancelled");
  if (planner_call_) reply_planner_missing();
  if (failed()) return tl::unexpected(*planner_error_);
  texts_ = execution_->finish();
  time_step("execute");
  fill_block();
  fill_index();
  auto assembly = verified();
  if (!assembly) return tl::unexpected(assembly.error());
  keep_left_out();  // what was stepped down to fit
  time_step("verify");
  BuiltContext built;
  built.metadata = receipt(*assembly);
  built.thread_state.opaque = encode(remember(*assembly, built.metadata));
  time_step("receipt");
  built.metadata.timings = timings_;
  built.plan = std::move(plan_);
  built.messages = std::move(assembly->messages);
  return built;
}

/// Finished before the plan came: for a deadline or a dry run.
void BuildState::reply_planner_missing() {
  planner_given_out_ = true;
  reply(0, fail(ErrorCode::deadline_exceeded, "no reply in time"));
}

/// Texts go where their items are shown: older messages and artifacts into the block, results of steps into the steps.
void BuildState::fill_block() {
  if (texts_.size() > gathered_.items.size()) {
    if (texts_.back().strategy != ProcessingStrategy::exclude) {
      parts_.block.entries.push_back({gathered_.items.size(),
                                      header_of(*older_, texts_.back().strategy, full_tokens(gathered_.items.size())),
                                      texts_.back().text});
    }
  } else {
    add_excerpts();
  }
  std::unordered_map<const Artifact*, std::size_t> step_of;
  for (std::size_t i = 0; i < gathered_.step_artifacts.size(); ++i) step_of.emplace(&gathered_.step_artifacts[i], i);
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    const auto& text = texts_[i];
    if (text.strategy == ProcessingStrategy::exclude) continue;
    if (gathered_.items[i].place == Place::steps) {
      parts_.step_results[step_of.at(gathered_.items[i].artifact)] = text.text;
    } else {
      parts_.block.entries.push_back(
          {i, header_of(*gathered_.items[i].artifact, text.strategy, artifacts_->tokens(i)), text.text});
    }
  }
}

/// Excerpts of messages before the cut, chosen one by one; also of results that are masked where they stand.
void BuildState::add_excerpts() {
  excerpts_ = layout_.older;
  if (older_) {
    // What cannot be sent whole or summarised is extracted, with the room that it was given.
    const auto& decision = decisions_.back();
    const bool own_query = !decision.extraction_query.empty() && decision.extraction_query != gathered_.query;
    if (decision.strategy == ProcessingStrategy::exclude)
      excerpts_.clear();
    else if (own_query || decision.target_tokens != excerpts_target())
      excerpts_ = excerpts_for(own_query ? decision.extraction_query : gathered_.query, decision.target_tokens,
                               layout_.suffix, *question_);
  }
  if (!excerpts_.empty()) parts_.block.entries.insert(parts_.block.entries.begin(), excerpts_entry());
}

/// What the excerpts that the layout chose take, a line end each.
std::int64_t BuildState::excerpts_target() const {
  std::int64_t tokens = 0;
  for (const auto& excerpt : layout_.older) tokens += excerpt.tokens + 1;
  return tokens;
}

BlockEntry BuildState::excerpts_entry() const {
  const auto item = gathered_.items.size();
  std::string text;
  for (const auto& excerpt : excerpts_) text += excerpt.text + '\n';
  auto header = older_ ? header_of(*older_, ProcessingStrategy::rag_extract, full_tokens(item))
                       : std::string("## earlier tool results | extract");
  return {item, std::move(header), std::move(text)};
}

/// Without the least relevant of them.
std::optional<BlockEntry> BuildState::fewer_excerpts(std::int64_t tokens_to_save) {
  const auto less_relevant = [](const SelectedText& a, const SelectedText& b) { return a.relevance < b.relevance; };
  while (!excerpts_.empty() && tokens_to_save > 0) {
    const auto least = std::min_element(excerpts_.begin(), excerpts_.end(), less_relevant);
    tokens_to_save -= least->tokens;
    excerpts_.erase(least);
  }
  return excerpts_.empty() ? std::nullopt : std::optional(excerpts_entry());
}

/// What is shortened or left out, the most relevant first, with handles where the whole was stored.
void BuildState::fill_index() {
  const std::size_t count = gathered_.items.size();
  references_.assign(count + 1, std::string());
  if (layout_.everything && plan_source_ == PlanSource::none) return;
  keep_left_out();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) {
    if (texts_[i].strategy != ProcessingStrategy::include_full) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return layout_.relevance[a] > layout_.relevance[b]; });
  auto room = question_->index_tokens - counter_->count("## Shortened or left out\n- and 100000 more\n");
  for (const auto i : order) {
    // Most of a long list does not fit even without a handle, which takes as long to count again.
    const auto bare = counter_->count(index_line(*gathered_.items[i].artifact, artifacts_->tokens(i), {})) + 1;
    if (bare > room) {
      ++parts_.block.not_listed;
      continue;
    }
    auto line = index_line(*gathered_.items[i].artifact, artifacts_->tokens(i), references_[i]);
    const auto tokens = counter_->count(line) + 1;
    if (tokens > room) {
      ++parts_.block.not_listed;
      continue;
    }
    room -= tokens;
    parts_.block.index.push_back({i, std::move(line)});
  }
  check_promises();
}

/// One rung down: what is whole or summarised becomes a smaller extract, and excerpts become fewer.
std::optional<BlockEntry> BuildState::smaller_view(const BlockEntry& entry, std::int64_t tokens_to_save) {
  if (entry.item >= gathered_.items.size()) return fewer_excerpts(tokens_to_save);
  const auto target = counter_->count(entry.text) - tokens_to_save - 4;
  if (target < least_view_tokens) return std::nullopt;
  const auto& artifact = *gathered_.items[entry.item].artifact;
  const auto& query = decisions_[entry.item].extraction_query;
  auto extract = environment_->retriever.extract(artifact, query.empty() ? gathered_.query : query, target, *counter_);
  if (extract.text.empty()) return std::nullopt;
  texts_[entry.item] = {strategy_of(extract.view), extract.text, extract.tokens, false, "shortened to fit the budget"};
  return BlockEntry{entry.item, header_of(artifact, texts_[entry.item].strategy, artifacts_->tokens(entry.item)),
                    std::move(extract.text)};
}

/// Assembled and counted whole. Parts that count more together than one by one are stepped down until the list fits.
Result<Assembly> BuildState::verified() {
  auto limit = budget_.max_input;
  for (int correction = 0; correction < most_corrections; ++correction) {
    const auto smaller = [this](const BlockEntry& entry, std::int64_t tokens) { return smaller_view(entry, tokens); };
    const auto steps_down = shrink_to(limit, parts_, source(), least_important_first_, smaller);
    if (steps_down > 0) layout_.everything = false;
    auto assembly = assemble(parts_, source());
    if (correction == 0) time_step("assemble");
    const auto counted = count_messages(*counter_, assembly.messages);
    if (counted <= budget_.max_input) {
      input_tokens_ = counted;
      return assembly;
    }
    limit -= counted - budget_.max_input;
  }
  return fail(ErrorCode::budget_exceeded,
              fmt::format("the messages cannot be brought under {} tokens by this counter", budget_.max_input));
}

ThreadMemory BuildState::remember(const Assembly& assembly, ContextUtilizationMetadata& metadata) const {
  ThreadMemory memory;
  memory.messages = thread_->size();
  memory.history = thread_->fingerprint();
  memory.max_input = budget_.max_input;
  memory.cut = parts_.suffix.cut;
  memory.mask_before = parts_.suffix.mask_before;
  memory.compacted_at = layout_.compacted_at;
  memory.extracts = parts_.suffix.extracts;
  memory.question = question_->question;
  memory.block_tokens = layout_.block_tokens;
  memory.hinted_by = layout_.hinted_by;
  memory.plan = llm_plan_;
  const auto& messages = assembly.messages;
  const auto tokens_before = [&](std::size_t count) {
    return std::accumulate(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{0},
                           [this](std::int64_t sum, const ConversationMessage& message) {
                             return sum + counter_->count_message(message);
                           });
  };
  memory.stable = {assembly.stable, tokens_before(assembly.stable), fingerprint_of(messages, assembly.stable)};
  memory.complete = {messages.size(), tokens_before(messages.size()), fingerprint_of(messages, messages.size())};
  metadata.prefix_fingerprint = memory.stable.fingerprint.hex();
  if (memory_) {
    for (const auto& sent : {memory_->stable, memory_->complete}) {
      if (sent.messages <= messages.size() && fingerprint_of(messages, sent.messages) == sent.fingerprint)
        metadata.prefix_tokens_kept = sent.tokens;
    }
  }
  memory.warned_percent = report_usage(metadata);
  return memory;
}

/// Tells the observer once when a thread passes a threshold, and again only after it fell below.
int BuildState::report_usage(const ContextUtilizationMetadata& metadata) const {
  const int passed = usage_threshold(metadata.input_tokens_used, metadata.max_input_tokens);
  if (passed > (memory_ ? memory_->warned_percent : 0)) {
    tell(EventKind::budget_threshold, {{"percent", std::int64_t{passed}},
                                       {"tokens", metadata.input_tokens_used},
                                       {"max_input_tokens", metadata.max_input_tokens}});
  }
  return passed;
}

}  // namespace ctxmgr::engine
