#include "engine/build/fill.hpp"

#include <algorithm>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/planning/plan_repair.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t least_line_tokens = 8;  // Of the index: most of a long list is not even counted.
constexpr std::int64_t most_more_tokens = 8;   // "- and 100000 more"

/// Saved beyond what is asked: a text alone and the same text in its block need not count alike.
constexpr std::int64_t shortening_slack = 4;

bool is_excerpts(const Item& item) {
  return item.kind == ItemKind::older_messages || item.kind == ItemKind::masked_results;
}

/// Excerpts of messages before the cut, chosen one by one; also of results that are masked where they stand.
std::vector<SelectedText> choose_excerpts(const FillInput& input) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  if (!outcome.older) return layout.older;
  // What cannot be sent whole or summarised is extracted, with the room that it was given.
  const auto& decision = outcome.decisions.back();
  if (decision.strategy == ProcessingStrategy::exclude) return {};
  const auto query = plan_query({inputs, prepared, layout});
  const bool own_query = !decision.extraction_query.empty() && decision.extraction_query != query;
  if (!own_query && decision.target_tokens == tokens_of_excerpts(layout)) return layout.older;
  const CallOptions unhurried;
  Pace pace(unhurried, *inputs.services->options.clock);
  return excerpts_for(own_query ? decision.extraction_query : query, decision.target_tokens, layout,
                      {inputs, prepared, known, pace});
}

BlockEntry excerpts_entry(const FillInput& input, std::size_t number, const std::vector<SelectedText>& excerpts) {
  return {number, {}, render_pieces(input.inputs.context.conversation_history, excerpts)};
}

/// Without the least relevant of them.
std::optional<BlockEntry> fewer_excerpts(const FillInput& input, std::size_t number, std::int64_t tokens_to_save,
                                         std::vector<SelectedText>& excerpts) {
  const auto less_relevant = [](const SelectedText& a, const SelectedText& b) { return a.relevance < b.relevance; };
  while (!excerpts.empty() && tokens_to_save > 0) {
    const auto least = std::min_element(excerpts.begin(), excerpts.end(), less_relevant);
    tokens_to_save -= least->tokens;
    excerpts.erase(least);
  }
  return excerpts.empty() ? std::nullopt : std::optional(excerpts_entry(input, number, excerpts));
}

}  // namespace

Filled fill(const FillInput& input, std::vector<ProcessedText> texts) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  const auto& items = outcome.items;
  Filled filled;
  auto& parts = filled.parts;
  parts.fixed = prepared.fixed;
  parts.suffix = layout.suffix;
  parts.head = layout.head;
  parts.evidence = layout.evidence;
  parts.block_leads = layout.everything;
  parts.skipped_steps = prepared.skipped_steps;
  parts.step_results.resize(prepared.gathered.step_artifacts.size());
  auto& entries = parts.block.entries;
  if (!items.empty() && is_excerpts(items.back())) {
    const auto last = items.size() - 1;
    if (texts.size() > last) {
      const auto strategy = texts[last].strategy;
      if (strategy != ProcessingStrategy::exclude)
        entries.push_back({last, header_of(*items[last].artifact, strategy), texts[last].text});
    } else {
      filled.excerpts = choose_excerpts(input);
      if (!filled.excerpts.empty()) entries.push_back(excerpts_entry(input, last, filled.excerpts));
      texts.push_back({filled.excerpts.empty() ? ProcessingStrategy::exclude : ProcessingStrategy::rag_extract});
    }
  }
  for (std::size_t i = 0; i < prepared.gathered.items.size(); ++i) {
    if (texts[i].strategy == ProcessingStrategy::exclude) continue;
    if (items[i].kind == ItemKind::step_result)
      parts.step_results[items[i].step_result] = texts[i].text;
    else
      entries.push_back({i, header_of(*items[i].artifact, texts[i].strategy), texts[i].text});
  }
  filled.texts = std::move(texts);
  return filled;
}

void fill_index(const FillInput& input, const References& references, Filled& filled) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  const auto& counter = *prepared.counter;
  auto& block = filled.parts.block;
  block.index.clear();
  block.not_listed = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < prepared.gathered.items.size(); ++i) {
    if (filled.texts[i].strategy != ProcessingStrategy::include_full && !references[i].empty()) order.push_back(i);
  }
  const auto& relevance = layout.relevance;
  std::stable_sort(order.begin(), order.end(),
                   [&relevance](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  auto room = prepared.index_tokens - counter.count(std::string(index_heading) + "\n");
  for (const auto i : order) {
    if (room < least_line_tokens) {
      ++block.not_listed;
      continue;
    }
    const auto& item = outcome.items[i];
    auto line = index_line(*item.artifact, item.tokens, references[i]);
    const auto tokens = counter.count(line) + 1;
    if (tokens > room) {
      ++block.not_listed;
      continue;
    }
    room -= tokens;
    block.index.push_back({i, std::move(line)});
  }
  if (room < most_more_tokens) block.not_listed = 0;
}

std::optional<BlockEntry> smaller_entry(const FillInput& input, const BlockEntry& entry, std::int64_t tokens_to_save,
                                        Filled& filled) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  const auto& item = outcome.items[entry.item];
  if (is_excerpts(item)) return fewer_excerpts(input, entry.item, tokens_to_save, filled.excerpts);
  const auto& counter = *prepared.counter;
  const auto target = counter.count(entry.text) - tokens_to_save - shortening_slack;
  if (target < least_view_tokens) return std::nullopt;
  const auto& query = outcome.decisions[entry.item].extraction_query;
  auto extract = inputs.services->retriever.extract(
      *item.artifact, query.empty() ? plan_query({inputs, prepared, input.layout}) : query, target, counter);
  if (extract.text.empty()) return std::nullopt;
  auto& text = filled.texts[entry.item];
  text = {strategy_of(extract.view), extract.text, extract.tokens, false, "shortened to fit the budget"};
  return BlockEntry{entry.item, header_of(*item.artifact, text.strategy), std::move(extract.text)};
}

}  // namespace ctxmgr::engine
