#include "literals.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

namespace ctxpack {
namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using OrderedJson = nlohmann::ordered_json;  // Only the first literals of a call count.

constexpr std::size_t most_places = 5;
constexpr std::size_t most_places_of_word = 2;
constexpr std::ptrdiff_t shortest_word = 4;
constexpr std::size_t far_turns = 10;
constexpr std::size_t most_per_message = 80;
constexpr std::size_t longest_value = 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_upper(c) || is_lower(c) || c == '_' || (c & '\x80') != 0; }
bool is_path(char c) { return is_word(c) || c == '.' || c == '+' || c == '-' || c == '/'; }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; });
}

std::string_view trimmed(std::string_view text, std::string_view characters) {
  const auto first = text.find_first_not_of(characters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}

/// Literals in the order of their first place.
class Found {
 public:
  void add(std::string_view literal) {
    if (known_.emplace(literal).second) literals_.emplace_back(literal);
  }
  std::vector<std::string> take() { return std::move(literals_); }

 private:
  std::set<std::string, std::less<>> known_;
  std::vector<std::string> literals_;
};

/// A maximal run of path characters, of which what follows a doubled slash is no path of a file system.
void add_path(std::string_view run, Found& found) {
  auto path = trimmed(run.substr(0, run.find("//")), "./");
  if (path.size() < 8 || path.find('/') == std::string_view::npos) return;
  if (!starts_with_any(path, {"dev/", "bin/", "usr/bin", "tmp/"})) found.add(path);
}

bool is_identifier(std::string_view word) {
  if (word.size() < 6 || is_digit(word[0])) return false;
  if (trimmed(word, "_").find('_') != std::string_view::npos) return true;
  for (std::size_t i = 1; i < word.size(); ++i)
    if (is_lower(word[i - 1]) && is_upper(word[i])) return true;
  return false;
}

/// "W12345", "5f3a9c1", a number of at least four digits.
bool is_number_or_id(std::string_view word) {
  const auto digits = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_digit));
  if (digits == word.size()) return digits >= 4;
  const auto capitals = static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_upper) - word.begin());
  if (capitals >= 1 && capitals <= 3 && digits >= 4 && capitals + digits == word.size()) return true;
  const bool hex = std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  return hex && digits > 0 && word.size() >= 7 && word.size() <= 40;
}

/// Whether a number at these places is a part of a longer one, as in 3.1415.
bool is_fraction(std::string_view text, std::size_t first, std::size_t last) {
  if (first > 1 && text[first - 1] == '.' && is_digit(text[first - 2])) return true;
  return last + 1 < text.size() && text[last] == '.' && is_digit(text[last + 1]);
}

/// Calls `use` with the places of each longest run of such characters.
template <typename IsPart, typename Use>
void for_each_run(std::string_view text, IsPart is_part, Use use) {
  for (std::size_t first = 0, last = 0; first < text.size(); first = last + 1) {
    for (last = first; last < text.size() && is_part(text[last]);) ++last;
    if (last > first) use(first, last);
  }
}

void add_words(std::string_view text, Found& found) {
  for_each_run(text, is_word, [&](std::size_t first, std::size_t last) {
    const auto word = text.substr(first, last - first);
    if (is_identifier(word) || (is_number_or_id(word) && !is_fraction(text, first, last))) found.add(word);
  });
}

void add_paths(std::string_view text, Found& found) {
  for_each_run(text, is_path, [&](std::size_t first, std::size_t last) {
    if (first == 0 || text[first - 1] != '~') add_path(text.substr(first, last - first), found);
  });
}

void add_source_lines(std::string_view text, Found& found) {
  for (const auto& whole : lines_of(text)) {
    auto line = trimmed(whole, " \t\r");
    if (!line.empty() && (line[0] == '+' || line[0] == '-') && !starts_with_any(line, {"+++", "---"}))
      line = trimmed(line.substr(1), " \t");
    const bool is_source = line.size() >= 24 && line.find(' ') != std::string_view::npos &&
                           line.find_first_of("=([.:") != std::string_view::npos;
    if (is_source && !starts_with_any(line, {"#", "cat ", "sed ", "grep ", "python", "cd "})) found.add(line);
  }
}

/// An argument that is a value of its own: an id, a date, a code, a name.
bool is_short_value(std::string_view value) {
  if (value.size() > longest_value || value.size() < 2 || value.find('\n') != std::string_view::npos) return false;
  const bool has_space = value.find(' ') != std::string_view::npos;
  const bool has_digit = std::any_of(value.begin(), value.end(), is_digit);
  if (value.size() == 3 && std::all_of(value.begin(), value.end(), is_upper)) return true;
  if (value.size() >= 4 && !has_space && (has_digit || value.find('_') != std::string_view::npos)) return true;
  if (value.size() >= 10 && value[4] == '-' && value[7] == '-' && is_digit(value[0])) return true;
  return is_upper(value[0]) && value.size() <= 40 && std::count(value.begin(), value.end(), ' ') < 4;
}

void each_value(const OrderedJson& node, const std::function<void(const std::string&, bool is_text)>& visit) {
  if (node.is_structured()) {
    for (const auto& child : node) each_value(child, visit);
  } else if (node.is_string()) {
    visit(node.get_ref<const std::string&>(), true);
  } else if (node.is_number()) {
    visit(node.dump(), false);
  }
}

void each_value(const ConversationMessage& message,
                const std::function<void(const std::string&, bool is_text)>& visit) {
  for (const auto& call : message.tool_calls) {
    const auto arguments = OrderedJson::parse(call.arguments_json, nullptr, false);
    if (arguments.is_discarded()) {
      visit(call.arguments_json, true);
    } else {
      each_value(arguments, visit);
    }
  }
}

void add_value(const std::string& value, bool is_text, Found& found) {
  if (!is_text) {
    if (std::count_if(value.begin(), value.end(), is_digit) >= 3) found.add(value);
    return;
  }
  if (const auto one = trimmed(value, " \t\r\n"); is_short_value(one)) found.add(one);
  for (const auto& name : names_in(value)) found.add(name);
  add_source_lines(value, found);
}

}  // namespace

std::vector<std::string> code_blocks(const std::string& text, std::string_view language) {
  std::vector<std::string> blocks;
  for (auto fence = text.find("```"); fence != std::string::npos;) {
    const auto first = text.find('\n', fence);
    if (first == std::string::npos) break;
    const auto end = text.find("```", first);
    if (end == std::string::npos) break;
    const auto marked = trimmed(std::string_view(text).substr(fence + 3, first - fence - 3), " \t\r");
    if (language.empty() || marked == language) blocks.push_back(text.substr(first + 1, end - first - 1));
    fence = text.find("```", end + 3);
  }
  return blocks;
}

namespace {

std::vector<std::string> literals_of(const ConversationMessage& message, bool text_protocol) {
  Found found;
  if (text_protocol) {
    for (const auto& block : code_blocks(ctxmgr::text_of(message), "bash")) add_value(block, true, found);
  } else {
    each_value(message, [&](const std::string& value, bool is_text) { add_value(value, is_text, found); });
  }
  auto literals = found.take();
  if (literals.size() > most_per_message) literals.resize(most_per_message);
  return literals;
}

/// A sign beyond ASCII that is no letter: Latin-1 and general punctuation, arrows, lines, boxes, CJK punctuation.
bool is_sign(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U; };
  if (byte(0) == 0xC2) return byte(1) != 0xAA && byte(1) != 0xB5 && byte(1) != 0xBA;
  if (byte(0) == 0xE2) return byte(1) <= 0x80 || (byte(1) >= 0x86 && byte(1) <= 0xAF);
  return byte(0) == 0xE3 && byte(1) == 0x80;
}

/// Words of four letters or more; a letter may have several bytes.
void add_plain_words(std::string_view text, Found& found) {
  const auto stands = [&](std::size_t i) { return i < text.size() && is_word(text[i]) && !is_sign(text, i); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t last = i;
    std::ptrdiff_t letters = 0;
    for (; stands(last); ++letters) {
      ++last;
      while (last < text.size() && (text[last] & '\xC0') == '\x80') ++last;
    }
    if (letters >= shortest_word) found.add(text.substr(i, last - i));
    if (last > i) i = last;
    if (i < text.size() && is_sign(text, i))
      while (i + 1 < text.size() && (text[i + 1] & '\xC0') == '\x80') ++i;
  }
}

std::vector<std::string> words_of_message(const ConversationMessage& message, bool text_protocol) {
  Found found;
  each_value(message, [&](const std::string& value, bool) { add_plain_words(value, found); });
  if (message.tool_calls.empty()) {
    const auto text = ctxmgr::text_of(message);
    const auto blocks = text_protocol ? code_blocks(text) : std::vector<std::string>();
    for (const auto& block : blocks) add_plain_words(block, found);
    if (blocks.empty()) add_plain_words(text, found);
  }
  auto words = found.take();
  if (words.size() > most_per_message) words.resize(most_per_message);
  return words;
}

enum class Need { none, near, far };

/// Finds where a literal was said before, each message's text once.
class Places {
 public:
  explicit Places(const std::vector<ConversationMessage>& messages) {
    bool task_seen = false;
    std::size_t turns = 0;
    for (const auto& message : messages) {
      texts_.push_back(searched_text(message));
      roles_.push_back(message.role);
      const bool is_task =
          message.role == Role::user && !std::exchange(task_seen, task_seen || message.role == Role::user);
      always_there_.push_back(is_task || message.role == Role::system || message.role == Role::developer);
      turns += message.role == Role::assistant ? 1 : 0;
      turns_.push_back(turns);
    }
  }

  /// Whether a request before `step` has to have it.
  [[nodiscard]] Need needed(const std::string& literal, std::size_t step, std::size_t most) {
    std::size_t first = step;
    std::size_t newest = step;
    std::size_t count = 0;
    for (std::size_t i = 0; i < step; ++i) {
      if (!has(i, literal)) continue;
      if (always_there_[i] || ++count > most) return Need::none;
      first = std::min(first, i);
      newest = i;
    }
    if (count == 0 || (roles_[first] != Role::tool && roles_[first] != Role::user)) return Need::none;
    return turns_[step] - turns_[newest] > far_turns ? Need::far : Need::near;
  }

 private:
  /// Whether message `i` has it; each message is searched once for each literal.
  bool has(std::size_t i, const std::string& literal) {
    auto& known = known_[literal];
    while (known.size() <= i) known.push_back(stands_in(literal, texts_[known.size()]));
    return known[i];
  }

  std::vector<std::string> texts_;
  std::vector<Role> roles_;
  std::vector<bool> always_there_;
  std::vector<std::size_t> turns_;
  std::unordered_map<std::string, std::vector<bool>> known_;
};

}  // namespace

std::string searched_text(const ConversationMessage& message) {
  std::string text = ctxmgr::text_of(message);
  each_value(message, [&](const std::string& value, bool) { text += "\n" + value; });
  return text;
}

bool stands_in(std::string_view literal, std::string_view text) {
  const auto joins = [](char c) { return is_word(c) && (c & '\x80') == 0; };
  for (auto at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at + 1)) {
    const auto end = at + literal.size();
    if ((at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end]))) return true;
  }
  return false;
}

std::vector<std::string> names_in(std::string_view text) {
  Found found;
  add_paths(text, found);
  add_words(text, found);
  return found.take();
}

namespace {

using Taking = std::vector<std::string> (*)(const ConversationMessage& message, bool text_protocol);

/// What is taken by the steps, once for each text; those from far back once more.
void want(const std::vector<ConversationMessage>& messages, Taking taken_by, std::size_t most,
          std::pair<Measure, Measure> measures, Wants& wants) {
  const bool text_protocol = is_text_protocol(messages);
  Places places(messages);
  std::map<std::pair<Measure, std::string>, const Wanted*> known;
  const auto add = [&](std::size_t step, Measure measure, const std::string& text) {
    auto& wanted = known[{measure, text}];
    if (wanted == nullptr) wanted = wants.add({measure, Look::name, {text}});
    wants.by_step[step].push_back(wanted);
  };
  for (std::size_t step = 1; step < messages.size(); ++step) {
    if (messages[step].role != Role::assistant) continue;
    for (const auto& text : taken_by(messages[step], text_protocol)) {
      const auto need = places.needed(text, step, most);
      if (need != Need::none) add(step, measures.first, text);
      if (need == Need::far) add(step, measures.second, text);
    }
  }
}

}  // namespace

bool is_text_protocol(const std::vector<ConversationMessage>& messages) {
  std::size_t replies = 0;
  std::size_t with_blocks = 0;
  for (const auto& message : messages) {
    if (!message.tool_calls.empty()) return false;
    if (message.role != Role::assistant) continue;
    ++replies;
    with_blocks += code_blocks(ctxmgr::text_of(message)).empty() ? 0 : 1;
  }
  return with_blocks > 0 && 2 * with_blocks >= replies;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < text.size();) {
    const auto last = std::min(text.find('\n', first), text.size());
    lines.emplace_back(text.substr(first, last - first));
    first = last + 1;
  }
  return lines;
}

void want_literals(const std::vector<ConversationMessage>& messages, Wants& wants) {
  want(messages, literals_of, most_places, {Measure::literals, Measure::far_literals}, wants);
}

void want_words(const std::vector<ConversationMessage>& messages, Wants& wants) {
  want(messages, words_of_message, most_places_of_word, {Measure::words, Measure::far_words}, wants);
}

}  // namespace ctxpack
