#include "engine/build/fill.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/build/layout_search.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/planning/plan_repair.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t join_tokens = 4;  // Between a summary and passages.
constexpr std::string_view joint = "\n\n";
constexpr std::int64_t least_line_tokens = 8;  // Of the index: most of a long list is not even counted.
constexpr std::int64_t most_more_tokens = 8;   // "- and 100000 more"

/// Saved beyond what is asked: a text alone and the same text in its block need not count alike.
constexpr std::int64_t shortening_slack = 4;

bool is_excerpts(const Item& item) { return item.kind == ItemKind::older_messages; }

/// Whether the allocation has the last word on the item's passages.
bool takes_part(const FillInput& input, std::size_t item, bool beside_summaries) {
  const auto& decision = input.outcome.decisions[item];
  return is_left_open(decision) || (beside_summaries && decision.strategy == ProcessingStrategy::summarize);
}

bool is_any_open(const FillInput& input, bool beside_summaries) {
  for (std::size_t i = 0; i < input.outcome.decisions.size(); ++i)
    if (takes_part(input, i, beside_summaries)) return true;
  return false;
}

/// What the allocation knows of what a plan leaves open. A summary that failed leaves its artifact open as well.
std::vector<ItemTerms> open_terms(const FillInput& input, const std::vector<ProcessedText>& texts,
                                  bool beside_summaries) {
  constexpr int most_priority = 4;  // What comes later is worth no less: relevance counts for more.
  const auto query = plan_query({input.inputs, input.prepared, input.layout});
  std::vector<ItemTerms> terms;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& decision = input.outcome.decisions[i];
    const bool own = is_left_open(decision) && decision.extraction_query != query;
    terms.push_back({takes_part(input, i, beside_summaries), texts[i].strategy == ProcessingStrategy::summarize,
                     1.0 / std::clamp(decision.priority, 1, most_priority),
                     own ? decision.extraction_query : std::string()});
  }
  return terms;
}

/// Passages in so many tokens, as the layout's.
Layout passages_within(const FillInput& input, const std::vector<ItemTerms>& terms, std::int64_t tokens) {
  const CallOptions unhurried;
  Pace pace(unhurried, *input.inputs.services->options.clock);
  return search_by({input.inputs, input.prepared, input.known, pace, input.layout.embeddings.get()}, input.layout,
                   terms, tokens);
}

/// Excerpts of messages before the cut, chosen one by one.
std::vector<SelectedText> choose_excerpts(const FillInput& input) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  if (!outcome.older) return layout.older;
  const auto& decision = outcome.decisions.back();
  if (decision.strategy == ProcessingStrategy::exclude || takes_part(input, outcome.items.size() - 1, true)) return {};
  const auto query = plan_query({inputs, prepared, layout});
  const bool own_query = !decision.extraction_query.empty() && decision.extraction_query != query;
  if (!own_query && decision.target_tokens == tokens_of_excerpts(layout)) return layout.older;
  std::vector<ItemTerms> terms(outcome.items.size());
  terms.back() = {true, false, 1, own_query ? decision.extraction_query : std::string()};
  return passages_within(input, terms, decision.target_tokens).older;
}

/// Excerpts of messages, below a summary of them where there is one.
BlockEntry excerpts_entry(const FillInput& input, std::size_t number, const Filled& filled) {
  const auto pieces = render_pieces(input.inputs.context.conversation_history, filled.excerpts);
  const auto& summary = filled.texts[number];
  if (summary.strategy != ProcessingStrategy::summarize) return {number, {}, pieces};
  return {number, header_of(*input.outcome.items[number].artifact, summary.strategy),
          pieces.empty() ? summary.text : summary.text + std::string(joint) + pieces};
}

/// Each text where it is shown: excerpts of messages first, then artifacts in their order.
void put_in_place(const FillInput& input, Filled& filled) {
  const auto& items = input.outcome.items;
  auto& entries = filled.parts.block.entries;
  entries.clear();
  for (std::size_t i = items.size(); i > 0 && is_excerpts(items[i - 1]); --i)
    if (filled.texts[i - 1].strategy != ProcessingStrategy::exclude)
      entries.push_back(excerpts_entry(input, i - 1, filled));
  for (std::size_t i = 0; i < input.prepared.gathered.items.size(); ++i) {
    const auto& text = filled.texts[i];
    if (text.strategy == ProcessingStrategy::exclude) continue;
    if (items[i].kind == ItemKind::step_result)
      filled.parts.step_results[items[i].step_result] = text.text;
    else
      entries.push_back({i, header_of(*items[i].artifact, text.strategy), text.text});
  }
}

/// What the texts leave of the block's room.
std::int64_t room_left(const FillInput& input, const Filled& filled) {
  const auto& counter = *input.prepared.counter;
  const auto& parts = filled.parts;
  auto room = input.layout.block_tokens - (input.layout.everything ? 0 : input.prepared.index_tokens);
  room -= parts.block.empty() ? input.prepared.overhead_tokens : counter.count_message(render(parts.block));
  for (const auto& text : parts.step_results) room -= counter.count(text);
  return room;
}

/// Without the least relevant of them; a summary above them goes last.
std::optional<BlockEntry> fewer_excerpts(const FillInput& input, std::size_t number, std::int64_t tokens_to_save,
                                         Filled& filled) {
  auto& excerpts = filled.excerpts;
  const auto less_relevant = [](const SelectedText& a, const SelectedText& b) { return a.relevance < b.relevance; };
  if (excerpts.empty()) return std::nullopt;
  while (!excerpts.empty() && tokens_to_save > 0) {
    const auto least = std::min_element(excerpts.begin(), excerpts.end(), less_relevant);
    tokens_to_save -= least->tokens;
    excerpts.erase(least);
  }
  auto entry = excerpts_entry(input, number, filled);
  return entry.text.empty() ? std::nullopt : std::optional(std::move(entry));
}

}  // namespace

std::vector<SelectedText> share_room(const FillInput& input, std::int64_t tokens, bool beside_summaries,
                                     std::vector<ProcessedText>& texts) {
  if (!is_any_open(input, beside_summaries)) return {};
  const auto terms = open_terms(input, texts, beside_summaries);
  for (const auto& item : terms) tokens -= item.is_open && item.has_header ? join_tokens : 0;
  auto found = tokens < least_view_tokens ? Layout() : passages_within(input, terms, tokens);
  found.items.resize(input.prepared.gathered.items.size());
  for (std::size_t i = 0; i < found.items.size(); ++i) {
    auto& text = texts[i];
    auto& passages = found.items[i];
    if (!terms[i].is_open) continue;
    if (!passages) {
      if (text.strategy == ProcessingStrategy::exclude)
        text.reason += (text.reason.empty() ? "" : "; ") + std::string("less relevant than what took the room");
    } else if (text.strategy == ProcessingStrategy::summarize && passages->view == ArtifactView::extract) {
      text.text.append(joint).append(passages->text);
      text.tokens += passages->tokens + join_tokens;
      text.reason = "with passages in the room that the plan left";
    } else {
      text = {strategy_of(passages->view), std::move(passages->text), passages->tokens, false, std::move(text.reason)};
    }
  }
  return std::move(found.older);
}

Filled fill(const FillInput& input, std::vector<ProcessedText> texts) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  Filled filled;
  auto& parts = filled.parts;
  parts.fixed = prepared.fixed;
  parts.suffix = layout.suffix;
  parts.head = layout.head;
  parts.evidence = layout.evidence;
  parts.block_leads = layout.everything;
  parts.skipped_steps = prepared.skipped_steps;
  parts.step_results.resize(prepared.gathered.step_artifacts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)  // A summary that failed: the allocation extracts.
    if (takes_part(input, i, true) && texts[i].strategy == ProcessingStrategy::rag_extract)
      texts[i] = {ProcessingStrategy::exclude, {}, 0, false, std::move(texts[i].reason)};
  if (texts.size() < outcome.items.size()) {
    filled.excerpts = choose_excerpts(input);
    texts.push_back({filled.excerpts.empty() ? ProcessingStrategy::exclude : ProcessingStrategy::rag_extract});
  }
  filled.texts = std::move(texts);
  put_in_place(input, filled);
  if (!is_any_open(input, true)) return filled;
  auto excerpts = share_room(input, room_left(input, filled), true, filled.texts);
  if (!excerpts.empty()) filled.excerpts = std::move(excerpts);
  if (auto& last = filled.texts; !filled.excerpts.empty() && last.back().strategy == ProcessingStrategy::exclude)
    last.back().strategy = ProcessingStrategy::rag_extract;
  put_in_place(input, filled);
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
  if (is_excerpts(item)) return fewer_excerpts(input, entry.item, tokens_to_save, filled);
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
