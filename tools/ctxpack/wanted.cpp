#include "wanted.hpp"

#include <algorithm>

#include "literals.hpp"
#include "work_state.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;

namespace {

/// Bytes of the white space at `i`: of ASCII, or one of Unicode's; 0 is none.
std::size_t white_space(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U; };
  const auto first = byte(0);
  if (first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F)) return 1;
  if (first == 0xC2 && (byte(1) == 0xA0 || byte(1) == 0x85)) return 2;
  if (first == 0xE3 && byte(1) == 0x80 && byte(2) == 0x80) return 3;
  if (first != 0xE2) return 0;
  const bool narrow = byte(1) == 0x80 &&
                      ((byte(2) >= 0x80 && byte(2) <= 0x8A) || byte(2) == 0xA8 || byte(2) == 0xA9 || byte(2) == 0xAF);
  return narrow || (byte(1) == 0x81 && byte(2) == 0x9F) ? 3 : 0;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const bool is_escape = next == 'n' || next == 't' || next == '"' || next == '/';
    if (is_escape) ++i;
    plain += !is_escape ? text[i] : next == 'n' || next == 't' ? ' ' : next;
  }
  return plain;
}

bool continues(std::string_view text, std::size_t i) { return i < text.size() && (text[i] & '\xC0') == '\x80'; }

/// The text around a place, so many characters on each side.
std::string_view around(std::string_view text, std::size_t first, std::size_t last, std::size_t characters) {
  for (std::size_t n = 0; n < characters && first > 0; ++n) do
      --first;
    while (first > 0 && continues(text, first));
  for (std::size_t n = 0; n < characters && last < text.size(); ++n) do
      ++last;
    while (continues(text, last));
  return text.substr(first, last - first);
}

std::string without_edges(std::string text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) count += continues(text, i) ? 0 : 1;
  return count;
}

/// About how many tokens the messages before each message have, and all: a token has four characters.
std::vector<std::int64_t> sizes_before(const std::vector<ConversationMessage>& messages) {
  std::vector<std::int64_t> sizes{0};
  for (const auto& message : messages) {
    auto text = ctxmgr::text_of(message);
    for (const auto& call : message.tool_calls) text += "\n[call " + call.name + "(" + call.arguments_json + ")]";
    sizes.push_back(sizes.back() + static_cast<std::int64_t>((characters(text) + 3) / 4));
  }
  return sizes;
}

void want_answers(const RecordedRun& run, std::int64_t budget, Wants& wants) {
  constexpr int steps_after = 4;
  for (const auto& ask : run.asks) {
    if (ask.before <= budget || 2 * ask.age <= budget) continue;
    const bool is_list = ask.parts.empty();
    Wanted wanted{Measure::asked_back, is_list ? Look::all : Look::near, is_list ? ask.paths : ask.parts, ask.form,
                  ask.within};
    if (!is_list) wanted.question = ask.question;
    const auto* asked = wants.add(wanted);
    wanted.measure = Measure::asked_back_next;
    wanted.form.clear();
    const auto* next = wants.add(wanted);
    int found = 0;
    for (auto step = ask.at + 1; step < run.messages.size() && found < steps_after; ++step)
      if (run.messages[step].role == Role::assistant) wants.by_step[step].push_back(found++ == 0 ? asked : next);
  }
}

void want_rules(const RecordedRun& run, std::int64_t budget, Wants& wants) {
  const auto sizes = sizes_before(run.messages);
  for (const auto& rule : run.rules) {
    const auto* wanted = wants.add({Measure::rules, Look::all, {without_edges(flat(rule.text))}, rule.place});
    for (auto step = rule.at + 1; step < run.messages.size(); ++step)
      if (run.messages[step].role == Role::assistant && sizes[step] > budget &&
          2 * (sizes[step] - sizes[rule.at + 1]) >= budget)
        wants.by_step[step].push_back(wanted);
  }
}

/// What a task asks for, in the request before the last reply.
void want_gold(const RecordedRun& run, std::int64_t budget, Wants& wants) {
  const auto sizes = sizes_before(run.messages);
  auto last = run.messages.size();
  while (last > 0 && run.messages[last - 1].role != Role::assistant) --last;
  if (run.gold.empty() || last-- < 2 || sizes[last] <= budget) return;
  Wanted wanted{Measure::task_recall, Look::all};
  for (const auto& text : run.gold) wanted.texts.push_back(without_edges(flat(text)));
  for (auto i = last; i-- > 0;) {
    const auto text = flat_text(run.messages[i]);
    const auto stands = [&](const std::string& item) { return text.find(item) != std::string::npos; };
    if (run.messages[i].role != Role::tool || std::none_of(wanted.texts.begin(), wanted.texts.end(), stands)) continue;
    if (2 * (sizes[last] - sizes[i + 1]) >= budget) wants.by_step[last].push_back(wants.add(std::move(wanted)));
    return;
  }
}

/// All that the user said, by line, but for questions that were spliced in and results that a harness wrote as a user.
void want_demands(const RecordedRun& run, Wants& wants) {
  const bool text_protocol = is_text_protocol(run.messages);
  std::vector<const Wanted*> said;
  for (std::size_t i = 0; i < run.messages.size(); ++i) {
    const auto& message = run.messages[i];
    if (i > 0 && message.role == Role::assistant) {
      auto& wanted = wants.by_step[i];
      wanted.insert(wanted.end(), said.begin(), said.end());
    }
    const auto is_this = [i](const Ask& ask) { return ask.at == i; };
    const bool is_demand = message.role == Role::user && !(text_protocol && !said.empty());
    if (!is_demand || std::any_of(run.asks.begin(), run.asks.end(), is_this)) continue;
    Wanted wanted{Measure::demands, Look::all};
    for (const auto& line : lines_of(ctxmgr::text_of(message)))
      if (auto text = without_edges(flat(line)); !text.empty()) wanted.texts.push_back(std::move(text));
    if (!wanted.texts.empty()) said.push_back(wants.add(std::move(wanted)));
  }
}

}  // namespace

Wants wanted_of(const RecordedRun& run, std::int64_t budget) {
  Wants wants(run.messages.size());
  want_literals(run.messages, wants);
  want_words(run.messages, wants);
  want_work_state(run.messages, wants);
  want_demands(run, wants);
  want_rules(run, budget, wants);
  want_gold(run, budget, wants);
  want_answers(run, budget, wants);
  return wants;
}

std::string flat(std::string_view text) {
  const auto plain = without_escapes(text);
  std::string flat;
  flat.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size();) {
    const auto space = white_space(plain, i);
    if (space == 0) {
      flat += plain[i++];
      continue;
    }
    if (flat.empty() || flat.back() != ' ') flat += ' ';
    i += space;
  }
  return flat;
}

std::string flat_text(const ConversationMessage& message) {
  std::string text = ctxmgr::text_of(message);
  for (const auto& call : message.tool_calls) text += "\n" + call.name + " " + call.arguments_json;
  return flat(text);
}

bool has_any(const Wanted& wanted, std::string_view flat_text) {
  return std::any_of(wanted.texts.begin(), wanted.texts.end() - 1,
                     [&](const std::string& text) { return stands_in(text, flat_text); });
}

bool has_near(const Wanted& wanted, const std::string& flat_text) {
  const auto has = [&](std::string_view text) {
    const auto stands = [&](const std::string& part) { return text.find(part) != std::string_view::npos; };
    return wanted.look == Look::any ? has_any(wanted, text)
                                    : std::all_of(wanted.texts.begin(), wanted.texts.end() - 1, stands);
  };
  const auto& last = wanted.texts.back();
  if (!has(flat_text)) return false;
  for (auto at = flat_text.find(last); at != std::string::npos; at = flat_text.find(last, at + last.size()))
    if (wanted.texts.size() == 1 || has(around(flat_text, at, at + last.size(), wanted.within))) return true;
  return false;
}

}  // namespace ctxpack
