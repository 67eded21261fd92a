#include "engine/build/evidence.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/extracts/data_block.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/index/date_terms.hpp"
#include "engine/selection/embedding_run.hpp"
#include "engine/selection/query.hpp"
#include "engine/selection/selection_internal.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/text_command.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

/// Speaker with colon and blank, and what was said.
std::pair<std::string_view, std::string_view> split(std::string_view text, std::size_t label) {
  return {text.substr(0, label), text.substr(std::min(label, text.size()))};
}

}  // namespace

std::vector<MessageRange> competing_messages(const LayoutInput& input, const Suffix& suffix,
                                             const std::vector<TaskMessage>& task) {
  std::vector<MessageRange> ranges;
  if (input.inputs.request.history.evidence_share == 0) return ranges;
  const auto is_fixed = [&input](std::size_t i) {
    return input.prepared.suffixes->is_fixed(input.prepared.thread().group_of(i));
  };
  std::vector<std::size_t> sent;
  for (const auto& message : task) {
    if (message.whole) sent.push_back(message.message);
  }
  if (input.prepared.gathered.question) sent.push_back(*input.prepared.gathered.question);
  for (std::size_t i = 0; i < suffix.cut; ++i) {
    if (is_fixed(i) || std::find(sent.begin(), sent.end(), i) != sent.end()) continue;
    add_message(i, ranges);
  }
  return ranges;
}

std::vector<MessageRange> read_for_search(std::vector<MessageRange> ranges, const LayoutInput& input) {
  if (!ranges.empty())
    input.known.analysis.index_up_to(ranges.back().last, input.inputs.context.conversation_history, input.pace);
  const auto read = input.prepared.thread().index().size();
  while (!ranges.empty() && ranges.back().first >= read) ranges.pop_back();
  if (!ranges.empty()) ranges.back().last = std::min(ranges.back().last, read);
  return ranges;
}

std::size_t count_of(const std::vector<MessageRange>& ranges) {
  std::size_t count = 0;
  for (const auto& range : ranges) count += range.last - range.first;
  return count;
}

Fingerprint selection_key(const LayoutInput& input, const std::vector<MessageRange>& ranges, std::size_t seen,
                          const SelectionRequest& request) {
  const auto& prepared = input.prepared;
  auto key = prepared.thread().fingerprint_at(ranges.empty() ? 0 : ranges.back().last);
  const auto add = [&key](std::string_view text) { key = fingerprint(text, key); };
  const auto add_number = [&add](std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    add({bytes, sizeof bytes});
  };
  if (!prepared.artifacts().chain().empty()) add(prepared.artifacts().chain().back().hex());
  add(request.query);
  for (const auto& hint : request.hints) add(hint);
  add_number(seen);
  add_number(static_cast<std::uint64_t>(request.budget_tokens));
  add_number(static_cast<std::uint64_t>(request.goal));
  add_number(prepared.artifacts().read());
  add_number(prepared.gathered.question.value_or(nowhere));
  for (const auto& item : prepared.gathered.items) add_number(static_cast<std::uint64_t>(item.kind));
  const auto& messages = input.inputs.context.conversation_history;
  for (const auto& range : ranges) {
    add_number(range.first);
    add_number(range.last);
    add_number(static_cast<std::uint64_t>(messages[range.first].sequence_number.value_or(-1)));  // Headers show it.
  }
  return key;
}

std::size_t message_at(const std::vector<MessageRange>& ranges, std::size_t position) {
  for (const auto& range : ranges) {
    if (position < range.last - range.first) return range.first + position;
    position -= range.last - range.first;
  }
  return 0;
}

std::vector<IndexSlice> slices_of(const LayoutInput& input, const std::vector<MessageRange>& ranges, std::size_t seen,
                                  MessageTexts& texts) {
  const auto& messages = input.inputs.context.conversation_history;
  // What stands behind the ranges may grow while the choice is kept, so it marks nothing here.
  if (const auto end = ranges.empty() ? 0 : ranges.back().last; !texts.newer || texts.newer->end() != end) {
    texts.newer.emplace(messages, end);
    texts.headers.clear();
  }
  const auto text_of_message = [&](std::size_t i) -> const MessageText& {
    auto [text, fresh] = texts.texts.try_emplace(i);
    if (fresh) text->second = indexed_text(input.prepared.thread(), messages, i);
    return text->second;
  };
  const auto header_of_message = [&](std::size_t i) -> std::string_view {
    auto [header, fresh] = texts.headers.try_emplace(i);
    if (fresh) header->second = piece_header(messages, i) + written({1, texts.newer->than(i)}, messages);
    return header->second;
  };
  const auto analysis_of_message = [&, text_of_message](std::size_t i) -> const ItemAnalysis& {
    const auto found = texts.analyses.find(i);
    if (found != texts.analyses.end()) return found->second;
    return texts.analyses.emplace(i, input.prepared.thread().analyze(messages, i, text_of_message(i))).first->second;
  };
  const auto view_of_message = [text_of_message](std::size_t i) -> std::string_view { return text_of_message(i).text; };
  const auto is_silent = [&input, &messages, seen](std::size_t i) {
    const auto& roles = input.prepared.thread().roles();
    if (messages[i].role == Role::user && all_text_of(messages[i]) != text_of(messages[i])) return false;
    return is_bare_call(messages[i]) || roles.of(i, seen) == ThreadRole::nudge || roles.recurs(i, seen);
  };
  std::vector<IndexSlice> slices;
  const auto& question = input.prepared.gathered.question;
  for (const auto& range : ranges) {
    slices.push_back({&input.prepared.thread().index(), range.first, range.last, view_of_message, header_of_message});
    slices.back().is_silent = is_silent;
    slices.back().analysis = analysis_of_message;
    slices.back().numbered = true;
    slices.back().follows = question && range.first > *question;
  }
  return slices;
}

namespace {

bool is_of_another_day(const ConversationMessage& before, const ConversationMessage& message) {
  return before.created_at && message.created_at && day_of(*before.created_at) != day_of(*message.created_at);
}

}  // namespace

std::string render_pieces(const std::vector<ConversationMessage>& messages, const std::vector<SelectedText>& pieces) {
  std::vector<std::size_t> quoted;
  for (const auto& piece : pieces) quoted.push_back(piece.index);
  return render_pieces(messages, pieces, marks_of(messages, quoted, messages.size()));
}

std::string render_pieces(const std::vector<ConversationMessage>& messages, const std::vector<SelectedText>& pieces,
                          const std::vector<QuoteMark>& marks) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto message = pieces[i].index;
    const bool is_result = messages[message].role == Role::tool || !text_command_answered_by(messages, message).empty();
    const bool follows =
        i > 0 && pieces[i - 1].index + 1 == message && !is_of_another_day(messages[message - 1], messages[message]);
    const auto mark = written(marks[i], messages);
    if (is_result || !follows || !mark.empty()) text.append(piece_header(messages, message)).append(mark);
    const auto [label, said] = split(pieces[i].text, label_bytes(messages[message]));
    if (is_result)
      text += ": ";
    else
      text.append(follows && mark.empty() ? "" : " ").append(label);
    text.append(said).append("\n");
  }
  return text;
}

namespace {

constexpr std::size_t longest_quoted = 400;  // bytes of a command

/// A task has words for everything: its best sentence counts, and this share of all its words.
constexpr double spread_of_task = 0.1;

/// A piece has at least this share of words that the task, as it is shown, does not have: else it only restates the task. In 67 runs at
/// 8 000 tokens requests have 89.9 % of the words of the next step, and 89.2 % where restating pieces count.
constexpr double least_fresh = 0.35;
constexpr int most_searches = 8;  // without what was found to restate it

/// Who asks back wants what was said, not names for a next step. What is noise takes no room from what answers, and the same call
/// made again hides nothing of what it said before.
SelectionWeights weights_of_evidence() {
  SelectionWeights weights;
  weights.least = least_of_best;
  weights.fills = false;
  weights.ident = 0;
  weights.superseded = 1;
  return weights;
}

std::vector<MessageRange> hidden_ranges(const LayoutInput& input, const ThreadSearch& search) {
  std::vector<std::size_t> messages;
  const auto is_sent = [&](std::size_t i) {
    return i == input.prepared.gathered.question ||
           input.prepared.suffixes->is_fixed(input.prepared.thread().group_of(i)) ||
           std::find(search.shown.begin(), search.shown.end(), i) != search.shown.end();
  };
  for (std::size_t i = 0; i < std::min(search.cut, search.end); ++i)
    if (!is_sent(i)) messages.push_back(i);
  for (const auto i : search.extracts)
    if (i >= search.cut && i < search.end) messages.push_back(i);
  std::vector<MessageRange> ranges;
  for (const auto i : messages) {
    add_message(i, ranges);
  }
  return ranges;
}

/// One line, and no blanks at its ends.
std::string flat(std::string_view text) { return single_line(text, longest_quoted); }

/// What stands between two backticks, on one line each.
std::vector<std::string> quotes_in(std::string_view text) {
  std::vector<std::string> quotes;
  for (auto open = text.find('`'); open != std::string_view::npos; open = text.find('`', open)) {
    const auto close = text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    quotes.push_back(flat(text.substr(open + 1, close - open - 1)));
    open = close + 1;
  }
  return quotes;
}

/// Whether a quote is the command: whole, its first line, or its beginning where "..." says that it goes on.
bool quotes_command(std::string_view quote, std::string_view command) {
  for (const std::string_view more : {"...", "\u2026"}) {
    if (quote.size() <= more.size() || quote.substr(quote.size() - more.size()) != more) continue;
    quote.remove_suffix(more.size());
    return flat(command).compare(0, quote.size(), quote) == 0;
  }
  return quote == flat(command) || quote == flat(command.substr(0, command.find('\n')));
}

/// What a message's score is multiplied by: 1, and as much again for all names of the question and for the command that it
/// quotes. Measured while pieces counted from half of the best on: of 98 questions asked back in 27 recorded runs, and 294 repeats
/// of them in the three steps after, 82 and 238 are answered. Names by half: 82
/// and 238; by double: 83 and 241. Command by half: 82 and 238; by double: 82 and 237; without: 81 and 232.
class NamesOfQuestion {
 public:
  NamesOfQuestion(const LayoutInput& input, const std::string& query)
      : input_(input), query_(query), quotes_(quotes_in(query)) {
    for (const auto name : names_in(query_)) names_.emplace(name);
    for (const auto name : capitals_in(query_)) names_.emplace(name);
  }

  [[nodiscard]] bool any() const { return !names_.empty() || !quotes_.empty(); }

  [[nodiscard]] double prior(std::size_t message) const {
    const auto& history = input_.inputs.context.conversation_history;
    const auto* call = history[message].role == Role::tool ? call_answered_by(history, message) : nullptr;
    const auto command =
        call == nullptr ? text_command_answered_by(history, message) : argument_values(call->arguments_json, "\n");
    std::size_t found = 0;
    if (!names_.empty()) {
      const auto text = all_text_of(history[message]).append("\n").append(command);
      for (const auto& name : names_) found += text.find(name) != std::string::npos ? 1 : 0;
    }
    const double share = names_.empty() ? 0 : static_cast<double>(found) / static_cast<double>(names_.size());
    if (call != nullptr && is_quoted(call->name + call->arguments_json)) return 2 + share;
    return 1 + share + (is_quoted(command) || has_quoted_line(command) ? 1 : 0);
  }

 private:
  [[nodiscard]] bool is_quoted(std::string_view command) const {
    return !command.empty() && std::any_of(quotes_.begin(), quotes_.end(), [command](const std::string& quote) {
      return quotes_command(quote, command);
    });
  }

  /// A line of the command as it is, without marks around it.
  [[nodiscard]] bool has_quoted_line(std::string_view command) const {
    while (!command.empty()) {
      const auto length = std::min(command.find('\n'), command.size());
      const auto line = command.substr(0, length);
      if (line.size() >= shortest_command && line.find(' ') != std::string_view::npos &&
          query_.find(line) != std::string::npos)
        return true;
      command.remove_prefix(std::min(length + 1, command.size()));
    }
    return false;
  }

  static constexpr std::size_t shortest_command = 6;

  const LayoutInput& input_;
  const std::string& query_;
  std::vector<std::string> quotes_;
  std::unordered_set<std::string> names_;
};

bool stands_already(const EvidencePiece& piece, const std::vector<ThreadEvidence>& former) {
  const auto is_same = [&piece](const EvidencePiece& other) {
    if (other.message != piece.message) return false;
    return std::all_of(piece.ranges.begin(), piece.ranges.end(), [&other](const TextSpan& range) {
      return std::any_of(other.ranges.begin(), other.ranges.end(), [&range](const TextSpan& shown) {
        return shown.offset <= range.offset && range.offset + range.length <= shown.offset + shown.length;
      });
    });
  };
  return std::any_of(former.begin(), former.end(), [&is_same](const ThreadEvidence& block) {
    return std::any_of(block.pieces.begin(), block.pieces.end(), is_same);
  });
}

struct ScoredPiece {
  EvidencePiece piece{};
  double relevance = 0;
};

void drop_least(std::vector<ScoredPiece>& pieces) {
  pieces.erase(std::min_element(pieces.begin(), pieces.end(),
                                [](const ScoredPiece& a, const ScoredPiece& b) { return a.relevance < b.relevance; }));
}

ThreadEvidence evidence_of(const ThreadSearch& search, const std::vector<ScoredPiece>& pieces) {
  ThreadEvidence made{search.question, search.compactions, {}};
  for (const auto& scored : pieces) made.pieces.push_back(scored.piece);
  return made;
}

/// Agents restate their task: of the messages that were chosen, those of which nearly all words are the task's.
std::vector<std::size_t> restating(const std::vector<SelectedText>& chosen, const std::vector<MessageRange>& ranges,
                                   const std::string& task) {
  const auto asked = content_words(task);
  std::vector<std::size_t> messages;
  for (const auto& text : chosen) {
    const auto words = content_words(text.text);
    const auto fresh = std::count_if(words.begin(), words.end(), [&](Term word) { return asked.count(word) == 0; });
    if (static_cast<double>(fresh) < least_fresh * static_cast<double>(words.size()))
      messages.push_back(message_at(ranges, text.index));
  }
  return messages;
}

std::vector<MessageRange> without(const std::vector<MessageRange>& ranges, const std::vector<std::size_t>& messages) {
  std::vector<MessageRange> rest;
  for (const auto& range : ranges)
    for (auto i = range.first; i < range.last; ++i)
      if (std::find(messages.begin(), messages.end(), i) == messages.end()) add_message(i, rest);
  return rest;
}

std::vector<ScoredPiece> pieces_of(std::vector<SelectedText> chosen, const std::vector<MessageRange>& ranges,
                                   const ThreadSearch& search) {
  std::vector<ScoredPiece> pieces;
  std::set<std::string> texts;
  double best = 0;
  for (const auto& text : chosen) best = std::max(best, text.relevance);
  for (auto& text : chosen) {
    if (text.relevance < least_of_best * best || !texts.insert(text.text).second) continue;
    ScoredPiece scored{{message_at(ranges, text.index), std::move(text.spans), {}}, text.relevance};
    if (!stands_already(scored.piece, search.former)) pieces.push_back(std::move(scored));
  }
  return pieces;
}

std::optional<ThreadEvidence> look_within(const LayoutInput& input, const ThreadSearch& search,
                                          const std::vector<MessageRange>& ranges, std::int64_t budget,
                                          int searches = most_searches) {
  const auto& prepared = input.prepared;
  SelectionRequest request;
  request.query = search.query;
  request.hints = hints_of(input.inputs.context, prepared.gathered, search.hinted_by);
  request.budget_tokens = budget;
  request.goal = input.inputs.context.goal;
  MessageTexts texts;
  auto slices = slices_of(input, ranges, search.end, texts);
  for (auto& slice : slices) slice.follows = slice.first > search.question;
  const NamesOfQuestion names(input, request.query);
  if (names.any())
    for (auto& slice : slices) slice.prior = [&names](std::size_t i) { return names.prior(i); };
  auto weights = weights_of_evidence();
  const bool is_task = search.compactions == made_by_compaction;
  if (is_task) weights.spread = spread_of_task;
  // Of a question alone: a task has too many words for one vector, and each compaction would be paid for.
  auto selection = select(slices, request, *prepared.counter, weights, is_task ? nullptr : input.embeddings);
  // Of a question about everything all may be shown; a task of which nothing speaks has no evidence.
  const auto speaks = [](double relevance) { return relevance > 0; };
  if (is_task && std::none_of(selection.relevance.begin(), selection.relevance.end(), speaks)) return std::nullopt;
  if (is_task && searches > 1)
    if (const auto messages = restating(selection.chosen, ranges, search.shown_task); !messages.empty())
      return look_within(input, search, without(ranges, messages), budget, searches - 1);
  auto pieces = pieces_of(std::move(selection.chosen), ranges, search);
  std::vector<std::size_t> quoted;
  for (const auto& scored : pieces) quoted.push_back(scored.piece.message);
  const auto marks = marks_of(input.inputs.context.conversation_history, quoted, search.end);
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].piece.mark = marks[i];
  const auto count = [&] {
    std::size_t all = 0;
    for (const auto& scored : pieces) all += scored.piece.ranges.size();
    return all;
  };
  while (!pieces.empty() && count() > search.most_ranges) drop_least(pieces);
  while (!pieces.empty()) {
    auto made = evidence_of(search, pieces);
    const auto shown = show_evidence(input, made);
    if (shown && shown->tokens <= search.tokens) return made;
    // A best piece that does not fit is chosen again, shorter.
    if (pieces.size() == 1 && budget > least_block_tokens) return look_within(input, search, ranges, budget / 2);
    drop_least(pieces);
  }
  return std::nullopt;
}

std::optional<ThreadEvidence> look_in_thread(const LayoutInput& input, const ThreadSearch& search,
                                             const std::vector<MessageRange>& ranges) {
  const auto budget = search.tokens - input.prepared.overhead_tokens;
  return ranges.empty() || budget <= 0 ? std::nullopt : look_within(input, search, ranges, budget);
}

/// Everything that it depends on but for what stands already.
Fingerprint search_key(const LayoutInput& input, const ThreadSearch& search) {
  auto key = fingerprint(search.query, input.prepared.thread().fingerprint_at(search.end));
  key = fingerprint(search.shown_task, key);
  std::vector<std::uint64_t> numbers{search.end,
                                     search.question,
                                     search.hinted_by,
                                     static_cast<std::uint64_t>(search.compactions),
                                     search.cut,
                                     static_cast<std::uint64_t>(search.tokens),
                                     search.most_ranges,
                                     static_cast<std::uint64_t>(input.prepared.overhead_tokens),
                                     static_cast<std::uint64_t>(input.inputs.context.goal),
                                     input.prepared.gathered.question.value_or(nowhere),
                                     input.embeddings != nullptr ? 1U : 0U,
                                     search.extracts.size()};
  numbers.insert(numbers.end(), search.extracts.begin(), search.extracts.end());
  numbers.insert(numbers.end(), search.shown.begin(), search.shown.end());
  return fingerprint({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)}, key);
}

}  // namespace

std::optional<ThreadEvidence> find_in_thread(const LayoutInput& input, const ThreadSearch& search) {
  auto& memo = input.known.memo;
  const auto key = search_key(input, search);
  if (search.former.empty() && memo.found_key == key) return memo.found ? std::optional(*memo.found) : std::nullopt;
  const auto wanted = hidden_ranges(input, search);
  const auto ranges = read_for_search(wanted, input);
  auto found = look_in_thread(input, search, ranges);
  // What there was no time to read may be found at the next build.
  const bool is_complete = input.embeddings == nullptr || input.embeddings->failure().empty();
  if (search.former.empty() && is_complete && count_of(ranges) == count_of(wanted)) {
    memo.found = found ? std::make_shared<const ThreadEvidence>(*found) : nullptr;
    memo.found_key = key;
  }
  return found;
}

std::optional<ShownEvidence> show_evidence(const LayoutInput& input, const ThreadEvidence& made) {
  const auto& history = input.inputs.context.conversation_history;
  const auto texts = texts_of(made, history);
  if (!texts || texts->empty()) return std::nullopt;
  std::vector<QuoteMark> marks;
  for (const auto& piece : made.pieces) marks.push_back(piece.mark);
  DataBlock block;
  block.entries.push_back({0, {}, render_pieces(history, *texts, marks)});
  ShownEvidence shown{made, render(block), 0};
  shown.tokens = input.prepared.counter->count_message(shown.message);
  return shown;
}

}  // namespace ctxmgr::engine
