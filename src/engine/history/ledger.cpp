#include "engine/history/ledger.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/message_number.hpp"
#include "core/utf8.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/history/cut_calls.hpp"
#include "engine/history/names.hpp"
#include "engine/structure/call_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_arguments = 40;     // bytes shown of a call: enough to know it again
constexpr std::size_t names_at_first = 40;        // of one message, before older ones have theirs
constexpr std::size_t longest_quoted_turn = 600;  // code points; the notes quote shorter ones
constexpr std::size_t most_candidates = 6'000;
constexpr std::size_t most_words_before = 28;  // bytes
constexpr double calls_share = 0.03;           // of the ledger, for calls of which no name is shown
constexpr std::size_t most_read_calls = 500;   // whose arguments are looked at: older ones are counted
constexpr std::size_t longest_read = 100'000;  // bytes of one message: what is longer is data, not names

/// What a reply asked for without a tool protocol: its last fenced block, else its last line.
std::string_view command_in(std::string_view reply) {
  const auto close = reply.rfind("\n```");
  const auto open = close == std::string_view::npos ? close : reply.rfind("```", close);
  if (open != std::string_view::npos) {
    const auto first = reply.find('\n', open);
    if (first < close) return reply.substr(first, close - first);
  }
  const auto text = ascii::trimmed(reply);
  const auto line = text.rfind('\n');
  return line == std::string_view::npos ? text : text.substr(line + 1);
}

/// A label that a message gives several values.
void mark_columns(std::vector<NameIndex::Use>& uses) {
  std::unordered_map<std::uint32_t, std::size_t> values;
  for (const auto& use : uses) ++values[use.label];
  for (auto& use : uses) use.is_column = values[use.label] > 1;
}

/// Equal for equal calls, and for all turns of one role.
std::size_t speaker_of(const ConversationMessage& message) {
  std::string key = std::to_string(static_cast<int>(message.role));
  for (const auto& call : message.tool_calls) key += "\n" + call.name + "\n" + call.arguments_json;
  return std::hash<std::string>{}(key);
}

}  // namespace

std::uint32_t NameIndex::number_of(std::string_view text) {
  const auto [known, is_new] = numbers_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) {
    texts_.push_back(&known->first);
    bytes_ += text.size() + 100;
  }
  return known->second;
}

void NameIndex::each_ending(std::uint32_t name, const std::function<void(std::uint32_t)>& visit) const {
  const std::string_view path = text(name);
  for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
    if (const auto known = numbers_.find(std::string(path.substr(slash + 1))); known != numbers_.end())
      visit(known->second);
}

void NameIndex::read(std::string_view text, std::vector<Use>& uses) {
  std::vector<Name> names;
  find_names(text.substr(0, longest_read), names);
  for (const Name& name : names) {
    const auto label = name.label.empty() ? 0 : number_of(name.label);
    const bool is_minor = name.kind == NameKind::figure || name.kind == NameKind::filler;
    uses.push_back({number_of(name.text), label, false, is_minor});
  }
}

void NameIndex::extend(const std::vector<ConversationMessage>& messages) {
  if (texts_.empty()) number_of({});  // 0 is no label
  for (std::size_t i = uses_.size(); i < messages.size(); ++i) {
    const auto& message = messages[i];
    std::vector<Use> uses;
    read(text_of(message), uses);
    for (const auto& call : message.tool_calls) {
      read(argument_values(call.arguments_json, "\n"), uses);
      open_calls_[call.id] = i;
    }
    const auto before = [](const Use& a, const Use& b) {
      return std::pair(a.name, a.label) < std::pair(b.name, b.label);
    };
    // In the order of the text, each once.
    std::set<Use, decltype(before)> seen(before);
    uses.erase(std::remove_if(uses.begin(), uses.end(), [&](const Use& use) { return !seen.insert(use).second; }),
               uses.end());
    mark_columns(uses);
    uses.shrink_to_fit();
    bytes_ += uses.size() * sizeof(Use);
    uses_.push_back(std::move(uses));
    const auto call = message.role == Role::tool ? open_calls_.find(message.tool_call_id) : open_calls_.end();
    sources_.push_back(call == open_calls_.end() ? i : call->second);
    speakers_.push_back(speaker_of(messages[sources_.back()]));
  }
}

namespace {

/// A name that may be written down, with the places where it stands.
struct Candidate {
  std::uint32_t name = 0;
  std::uint32_t label = 0;
  int rank = 0;
  std::vector<std::size_t> messages{};  ///< Where it stands, newest first.
};

class LedgerMaker {
 public:
  LedgerMaker(const std::vector<ConversationMessage>& messages, const NameIndex& index, const LedgerRequest& request)
      : messages_(messages), index_(index), request_(request) {}

  std::string make() {
    note_kept();
    collect();
    rank();
    const auto share = static_cast<std::int64_t>(calls_share * static_cast<double>(request_.limit));
    const auto reserved = request_.count(other_calls(share));
    fill(request_.limit - reserved);
    std::string text = render();
    // Pieces may count less than they do together.
    for (; !added_.empty() && request_.count(text) > request_.limit - reserved; text = render()) take_last();
    return other_calls(std::min(request_.limit - request_.count(text) - 1, request_.limit / 10)) + text;
  }

 private:
  /// Names that a sent message has.
  void note_kept() {
    kept_.assign(index_.names(), false);
    for (std::size_t i = messages_.size(); i-- > 0;) {
      if (!request_.is_kept(i)) continue;
      for (const auto& use : index_.uses(i)) {
        if (i >= request_.last) (void)is_replaced(use, i);
        kept_[use.name] = true;
        index_.each_ending(use.name, [&](std::uint32_t name) { kept_[name] = true; });
      }
    }
  }

  /// The newest names of the range. Bounded, whatever the length of the thread.
  void collect() {
    std::unordered_map<std::uint32_t, std::size_t> known;
    for (std::size_t i = request_.last; i-- > request_.first && candidates_.size() < most_candidates;) {
      if (request_.is_kept(i)) continue;
      const bool asked = is_asked(i);
      const int most = comes_first(i) ? 2 : 1;
      std::size_t new_names = 0;
      for (const auto& use : index_.uses(i)) {
        if (kept_[use.name] || is_replaced(use, i)) continue;
        const auto [found, is_new] = known.emplace(use.name, candidates_.size());
        if (is_new) {
          // A short number says something where a person gave it.
          const bool counts = (asked || !use.is_minor) && ++new_names <= names_at_first;
          candidates_.push_back({use.name, use.label, counts || most > 1 ? most : 0, {}});
        }
        auto& places = candidates_[found->second].messages;
        if (places.empty() || places.back() != i) places.push_back(i);
      }
    }
  }

  [[nodiscard]] bool is_asked(std::size_t message) const {
    if (request_.role_of) return request_.role_of(message) == ThreadRole::asked;
    return messages_[message].role == Role::user;
  }

  [[nodiscard]] bool comes_first(std::size_t message) const {
    if (request_.cannot_be_fetched_again && request_.cannot_be_fetched_again(message)) return true;
    return is_asked(message) && utf8::count_code_points(text_of(messages_[message])) > longest_quoted_turn;
  }

  /// Whether a later message of the same call or speaker gave the label another value. Asked newest first.
  bool is_replaced(const NameIndex::Use& use, std::size_t message) {
    if (use.label == 0 || use.is_column) return false;
    const auto [newest, is_new] = values_.emplace(std::pair(use.label, index_.speaker(message)), use.name);
    return !is_new && newest->second != use.name;
  }

  void rank() {
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.rank, a.messages.front()) > std::pair(b.rank, b.messages.front());
    });
  }

  void fill(std::int64_t limit) {
    std::int64_t used = 0;
    for (const Candidate& candidate : candidates_) {
      const std::size_t source = place_of(candidate);
      const auto opened = lines_.find(source);
      const std::string title = opened == lines_.end() ? title_of(source) : std::string();
      const std::string text = words_of(candidate);
      if (stands_in(index_.text(candidate.name), said_)) continue;
      std::int64_t cost = request_.count(" " + text) + 1;
      if (opened == lines_.end()) cost += request_.count(title) + 1;
      if (used + cost > limit) {
        if (++refused_ > most_refused) break;
        continue;
      }
      used += cost;
      Line& line = lines_[source];
      added_.push_back(source);
      if (opened == lines_.end()) {
        line.title = title;
        said_ += title + "\n";
      }
      if (!stands_in(index_.text(candidate.name), line.title)) {
        line.names.push_back(text);
        said_ += text + "\n";
      }
    }
  }

  /// Calls that are gone and have no line: nothing that was done is without a trace.
  [[nodiscard]] std::string other_calls(std::int64_t limit) const {
    std::vector<CutCall> calls;
    for (std::size_t i = request_.last; i-- > request_.first;) {
      if (request_.is_kept(i) || lines_.find(i) != lines_.end()) continue;
      const bool is_read = calls.size() < most_read_calls;
      for (auto call = messages_[i].tool_calls.rbegin(); call != messages_[i].tool_calls.rend(); ++call)
        calls.push_back({number_of(messages_[i], i), call->name, is_read ? key_of_call(*call) : std::string(),
                         is_read ? handle_of(i) : ""});
      if (is_output(i) && i > 0)
        calls.push_back({number_of(messages_[i], i), "a command", is_read ? command_before(i) : std::string(),
                         is_read ? handle_of(i) : ""});
    }
    std::reverse(calls.begin(), calls.end());
    return collapsed_calls(calls, limit, request_.count);
  }

  void take_last() {
    const auto line = lines_.find(added_.back());
    added_.pop_back();
    if (line->second.names.empty())
      lines_.erase(line);
    else
      line->second.names.pop_back();
  }

  /// The line that a name goes to: an open one that has it, else that of its newest place.
  [[nodiscard]] std::size_t place_of(const Candidate& candidate) const {
    for (const auto message : candidate.messages)
      if (lines_.find(index_.source(message)) != lines_.end()) return index_.source(message);
    return index_.source(candidate.messages.front());
  }

  [[nodiscard]] std::string words_of(const Candidate& candidate) const {
    const auto name = index_.text(candidate.name);
    if (candidate.label != 0) return std::string(index_.text(candidate.label)) + ": " + std::string(name);
    const auto newest = candidate.messages.front();
    const bool is_turn = messages_[newest].role != Role::tool && !is_output(newest);
    return request_.explains_numbers && is_turn && is_bare_number(name) ? words_before(name, text_of(messages_[newest]))
                                                                        : std::string(name);
  }

  /// A year or a version that somebody mentions says nothing without the words that stand before it.
  static bool is_bare_number(std::string_view name) {
    return std::none_of(name.begin(), name.end(),
                        [](char c) { return ascii::lower_case(c) >= 'a' && ascii::lower_case(c) <= 'z'; });
  }

  static std::string words_before(std::string_view name, std::string_view text) {
    const auto at = text.find(name);
    if (at == std::string_view::npos) return std::string(name);
    auto first = at - std::min(at, most_words_before);
    const auto line = text.substr(first, at - first).find_last_of("\n.;!?");
    if (line != std::string_view::npos) first += line + 1;
    if (first > 0 && text[first - 1] != '\n' && line == std::string_view::npos) {
      const auto blank = text.find(' ', first);
      first = blank < at ? blank + 1 : at;
    }
    const auto words = ascii::trimmed(text.substr(first, at - first));
    return std::string(words) + (words.empty() ? "" : " ") + std::string(name);
  }

  /// "[12] read(src/late_fee.cpp), failed".
  [[nodiscard]] const std::string& title_of(std::size_t source) {
    auto& title = titles_[source];
    if (title.empty()) title = make_title(source);
    return title;
  }

  [[nodiscard]] std::string make_title(std::size_t source) const {
    const auto& message = messages_[source];
    std::string title = "[" + std::to_string(number_of(message, source)) + "] ";
    if (message.tool_calls.empty()) title += speaker_name(source);
    for (const auto& call : message.tool_calls) {
      if (&call != &message.tool_calls.front()) title += ", ";
      title += call_line(call.name, call.arguments_json, longest_arguments);
    }
    bool failed = false;
    for (std::size_t i = source; i < request_.last && i <= source + message.tool_calls.size(); ++i)
      failed = failed || (messages_[i].role == Role::tool && index_.source(i) == source &&
                          is_failed_result(text_of(messages_[i])));
    if (failed) title += ", failed";
    const auto handle = handle_of(source);
    return handle.empty() ? title : title + " <" + handle + ">";
  }

  [[nodiscard]] std::string speaker_name(std::size_t source) const {
    const auto role = messages_[source].role;
    if (is_output(source) && source > 0) return "output of " + command_before(source);
    if (const auto& covered = messages_[source].summary_of)
      return "summary of messages " + std::to_string(covered->first) + " to " + std::to_string(covered->last);
    return role == Role::user ? "user" : role == Role::assistant ? "assistant" : "tool";
  }

  [[nodiscard]] std::string handle_of(std::size_t source) const {
    return request_.handle_of ? request_.handle_of(source) : std::string();
  }

  /// In a text protocol.
  [[nodiscard]] bool is_output(std::size_t message) const {
    return request_.role_of && request_.role_of(message) == ThreadRole::observation;
  }

  [[nodiscard]] std::string command_before(std::size_t output) const {
    return single_line(command_in(text_of(messages_[output - 1])), longest_arguments);
  }

  [[nodiscard]] std::string render() const {
    std::string text;
    for (const auto& [source, line] : lines_) {
      text += line.title;
      for (std::size_t i = 0; i < line.names.size(); ++i) text += (i == 0 ? ": " : ", ") + line.names[i];
      text += "\n";
    }
    return text;
  }

  struct Line {
    std::string title;
    std::vector<std::string> names;
  };

  static constexpr std::size_t most_refused = 40;

  const std::vector<ConversationMessage>& messages_;
  const NameIndex& index_;
  const LedgerRequest& request_;
  std::vector<bool> kept_;
  std::vector<Candidate> candidates_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> values_;  ///< Newest, by label and speaker.
  std::map<std::size_t, Line> lines_;                                      ///< By source.
  std::map<std::size_t, std::string> titles_;
  std::vector<std::size_t> added_;  ///< Lines, in the order in which they got their names.
  std::string said_;
  std::size_t refused_ = 0;
};

}  // namespace

std::string make_ledger(const std::vector<ConversationMessage>& messages, const NameIndex& index,
                        const LedgerRequest& request) {
  return LedgerMaker(messages, index, request).make();
}

}  // namespace ctxmgr::engine
