#include "engine/build/layout_search.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/index/artifact_item.hpp"
#include "engine/selection/selection_internal.hpp"

namespace ctxmgr::engine {
namespace {

/// Results of the current steps come last among the items.
std::size_t first_of_steps(const std::vector<Item>& items, std::size_t last) {
  while (last > 0 && items[last - 1].kind == ItemKind::step_result) --last;
  return last;
}

/// So many messages show what a harness says again and again.
std::size_t seen_by(const Layout& layout) {
  return layout.grows ? layout.hinted_by : std::max(layout.hinted_by, layout.suffix.cut);
}

void append_artifacts(const LayoutInput& input, std::vector<IndexSlice>& slices) {
  const auto& items = input.prepared.gathered.items;
  const auto& artifacts = input.prepared.artifacts();
  const auto text = [&items](std::size_t i) -> std::string_view { return items[i].artifact->content; };
  const auto header = [&items](std::size_t i) -> std::string_view { return items[i].header; };
  const auto last = artifacts.read();
  const auto steps = first_of_steps(items, last);
  slices.push_back({&artifacts.index(), 0, steps, text, header});
  slices.back().ranking = [&items](std::size_t i) { return prior_score(*items[i].artifact); };
  if (steps == last) return;
  slices.push_back(slices.back());
  slices.back().first = steps;
  slices.back().last = last;
  slices.back().follows = true;
}

/// The messages of the ranges and the artifacts. All arguments but the ranges outlive it.
std::vector<IndexSlice> all_slices(const LayoutInput& input, const std::vector<MessageRange>& ranges,
                                   const Layout& layout, MessageTexts& texts) {
  auto slices = slices_of(input, ranges, seen_by(layout), texts);
  for (auto& slice : slices)
    if (layout.grows) slice.is_silent = [](std::size_t) { return true; };
  append_artifacts(input, slices);
  return slices;
}

/// Of a thread that goes on, what was said before the question: where it speaks of it more than a document does, the document is
/// noise. Nothing is taken from it, since the thread's own evidence is made by itself.
std::vector<MessageRange> said_before_question(const LayoutInput& input) {
  const auto& messages = input.inputs.context.conversation_history;
  std::vector<MessageRange> ranges;
  for (std::size_t i = 0; i < input.prepared.gathered.question.value_or(0); ++i) {
    if (messages[i].role == Role::system || messages[i].role == Role::developer) continue;
    add_message(i, ranges);
  }
  return ranges;
}

/// Results of running steps answer to nothing that was said before.
std::vector<MessageRange> competing_in(const LayoutInput& input, const Layout& layout) {
  if (!layout.grows) return competing_messages(input, layout.suffix, layout.head.task);
  const auto& items = input.prepared.gathered.items;
  const bool has_steps = first_of_steps(items, items.size()) < items.size();
  return has_steps ? std::vector<MessageRange>() : said_before_question(input);
}

SelectionWeights weights_in(const LayoutInput& input, const Layout& layout, bool is_compared) {
  auto weights = weights_for(input.inputs.context.goal);
  if (!layout.grows || !is_compared) return weights;
  weights.least = std::max(weights.least, least_of_best);
  weights.fills = false;
  return weights;
}

/// The slices of a search for what a plan leaves open; what has its own query only compares, as does what is placed already.
std::vector<IndexSlice> open_slices(const LayoutInput& input, const Layout& layout, const std::vector<ItemTerms>& terms,
                                    const std::vector<MessageRange>& ranges, MessageTexts& texts) {
  auto slices = slices_of(input, ranges, seen_by(layout), texts);
  const auto messages = slices.size();
  append_artifacts(input, slices);
  const auto header = [&items = input.prepared.gathered.items, &terms](std::size_t i) -> std::string_view {
    return terms[i].has_header ? std::string_view() : std::string_view(items[i].header);
  };
  for (auto s = messages; s < slices.size(); ++s) {
    slices[s].header = header;
    slices[s].is_silent = [&terms](std::size_t i) { return !terms[i].is_open || !terms[i].query.empty(); };
  }
  return slices;
}

}  // namespace

bool selects(const LayoutInput& input) { return input.inputs.request.planning.mode != PlannerMode::none; }

std::int64_t select_room(const LayoutInput& input, std::int64_t block_tokens) {
  return block_tokens - input.prepared.overhead_tokens - input.prepared.index_tokens;
}

std::optional<LayoutSearch> search_for(const LayoutInput& input, const Layout& layout, MessageTexts& texts) {
  SelectionRequest request;
  request.query = input.prepared.gathered.searched;
  request.hints = layout.hints;
  request.budget_tokens = select_room(input, layout.block_tokens);
  request.goal = input.inputs.context.goal;
  if (!selects(input) || request.budget_tokens < least_block_tokens) return std::nullopt;
  const auto wanted = competing_in(input, layout);
  // Of a thread that goes on the same messages only compare, and are not chosen.
  const auto key =
      fingerprint(layout.grows ? "grows" : "single", selection_key(input, wanted, seen_by(layout), request));
  auto& memo = input.known.memo;
  if (input.embeddings == nullptr && memo.selection && memo.selection_key == key)
    return LayoutSearch{wanted, *memo.selection};
  LayoutSearch found{read_for_search(wanted, input), {}};
  found.selection = select(all_slices(input, found.ranges, layout, texts), request, *input.prepared.counter,
                           weights_in(input, layout, !found.ranges.empty()), input.embeddings);
  // What there was no time to read may be found at the next build.
  if (input.embeddings != nullptr || count_of(found.ranges) < count_of(wanted)) return found;
  memo.selection = std::make_shared<const Selection>(found.selection);
  memo.selection_key = key;
  return found;
}

Layout with_found(const LayoutInput& input, Layout layout, std::optional<LayoutSearch> found) {
  const auto items = input.prepared.gathered.items.size();
  layout.items.resize(items);
  layout.relevance.assign(items, 0.0);
  if (!found) return layout;
  auto& [ranges, selection] = *found;
  const auto first_item = count_of(ranges);
  for (std::size_t i = 0; i < items && first_item + i < selection.relevance.size(); ++i) {
    layout.relevance[i] = selection.relevance[first_item + i];
  }
  for (const auto repeat : selection.repeats)
    if (repeat >= first_item) layout.repeats.push_back(repeat - first_item);
  std::unordered_set<std::string> said;
  for (auto& chosen : selection.chosen) {
    if (chosen.index < first_item) {
      if (!said.insert(chosen.text).second) continue;  // What was said again in the same words stands once.
      chosen.index = message_at(ranges, chosen.index);
      layout.older.push_back(std::move(chosen));
    } else {
      const auto item = chosen.index - first_item;
      layout.relevance[item] = std::max(layout.relevance[item], chosen.relevance);
      layout.items[item] = std::move(chosen);
    }
  }
  return layout;
}

Layout search_by(const LayoutInput& input, Layout layout, const std::vector<ItemTerms>& terms, std::int64_t tokens) {
  const auto& prepared = input.prepared;
  const auto artifacts = prepared.artifacts().read();
  MessageTexts texts;
  LayoutSearch found;
  const auto* const of_older = terms.size() > prepared.gathered.items.size() ? &terms.back() : nullptr;
  if (of_older != nullptr && of_older->is_open)
    found.ranges = read_for_search(competing_messages(input, layout.suffix, layout.head.task), input);
  const bool apart = !found.ranges.empty() && !of_older->query.empty();
  const auto first_item = count_of(found.ranges);
  const auto ranges_beside = apart ? std::vector<MessageRange>() : found.ranges;
  const auto slices = open_slices(input, layout, terms, ranges_beside, texts);
  const auto older = apart ? slices_of(input, found.ranges, seen_by(layout), texts) : std::vector<IndexSlice>();
  std::vector<SliceSearch> searches;
  const auto of_message = [of_older](std::size_t) { return of_older->weight; };
  if (apart) searches.push_back({&older, of_older->query, nullptr, 1.0, of_message});
  const auto first_beside = count_of(ranges_beside);
  const auto is_beside = [](const ItemTerms& item) { return item.is_open && item.query.empty(); };
  const bool any_beside = std::any_of(terms.begin(), terms.end(), is_beside);
  if (any_beside)
    searches.push_back({&slices, prepared.gathered.searched, &layout.hints, {}, [&, first_beside](std::size_t i) {
                          return i < first_beside ? of_older->weight : terms[i - first_beside].weight;
                        }});
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < artifacts; ++i)
    if (terms[i].is_open && !terms[i].query.empty()) own.push_back(i);
  std::vector<std::vector<IndexSlice>> alone;
  for (const auto i : own) {
    alone.push_back({slices.back()});
    alone.back()[0].first = i;
    alone.back()[0].last = i + 1;
    alone.back()[0].is_silent = nullptr;
  }
  for (std::size_t k = 0; k < own.size(); ++k)
    searches.push_back({&alone[k], terms[own[k]].query, nullptr, layout.relevance[own[k]],
                        [weight = terms[own[k]].weight](std::size_t) { return weight; }});
  SelectionRequest request;
  request.budget_tokens = tokens;
  found.selection =
      select(searches, request, *prepared.counter, weights_for(input.inputs.context.goal), input.embeddings);
  const auto first_own = first_item + (any_beside ? artifacts : 0);
  for (auto& chosen : found.selection.chosen)
    if (chosen.index >= first_own) chosen.index = first_item + own[chosen.index - first_own];
  layout.older.clear();
  layout.items.clear();
  return with_found(input, std::move(layout), std::move(found));
}

Layout with_whole_artifacts(const LayoutInput& input, Layout layout) {
  const auto& items = input.prepared.gathered.items;
  layout.items.resize(items.size());
  layout.relevance.assign(items.size(), 1.0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    SelectedText whole;
    whole.index = i;
    whole.view = ArtifactView::full;
    whole.text = items[i].artifact->content;
    whole.tokens = items[i].tokens;
    whole.relevance = 1;
    layout.items[i] = std::move(whole);
  }
  return layout;
}

}  // namespace ctxmgr::engine
