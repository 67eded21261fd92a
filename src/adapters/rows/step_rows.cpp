#include "adapters/rows/step_rows.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include "adapters/rows/stored_columns.hpp"
#include "core/sha256.hpp"

namespace ctxmgr::conversation {
namespace {

constexpr std::int64_t max_range = 10'000'000;  // rows in one step: more than any prompt holds

std::string hash_of(const StepRow& row) {
  sqlite::RowChecksum hash;
  for (const auto* field : {&row.agent, &row.thread_state, &row.messages}) hash.add(std::string_view(*field));
  for (const std::int64_t number : {row.step_number, row.created_at, row.last_sequence}) {
    hash.add(static_cast<std::uint64_t>(number));
  }
  return to_hex(hash);
}

/// "1-40 42 =<hash>": consecutive rows are joined.
std::string references_of(const std::vector<SentMessage>& messages) {
  std::string line;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!line.empty()) line += ' ';
    const std::int64_t first = messages[i].sequence_number;
    if (first == 0) {
      line += '=' + sha256_hex(messages[i].message_json);
      continue;
    }
    std::int64_t last = first;
    while (i + 1 < messages.size() && messages[i + 1].sequence_number == last + 1) ++i, ++last;
    line += std::to_string(first);
    if (last > first) line += '-' + std::to_string(last);
  }
  return line;
}

/// Calls `on_rows(first, last)`, `on_text(hash)` and `on_receipt(hash)` in order; false where the line is none.
template <class OnRows, class OnText, class OnReceipt>
bool for_each_reference(std::string_view line, OnRows on_rows, OnText on_text, OnReceipt on_receipt) {
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const std::string_view token = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (token.substr(0, 1) == "=") {
      on_text(std::string(token.substr(1)));
      continue;
    }
    if (token.substr(0, 1) == "?") {
      on_receipt(std::string(token.substr(1)));
      continue;
    }
    std::int64_t first = 0;
    const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), first);
    std::int64_t last = first;
    if (error != std::errc() || first < 1) return false;
    if (rest != token.data() + token.size()) {
      const auto [finish, wrong] = std::from_chars(rest + 1, token.data() + token.size(), last);
      if (*rest != '-' || wrong != std::errc() || finish != token.data() + token.size() || last < first) return false;
    }
    on_rows(first, last);
  }
  return true;
}

}  // namespace

StepRow to_step_row(const SentContext& sent, std::int64_t step_number) {
  StepRow row;
  row.step_number = step_number;
  row.agent = to_stored_text(sent.agent);
  row.created_at = to_ms(sent.created_at.value_or(std::chrono::system_clock::now()));
  row.last_sequence = sent.last_sequence;
  row.thread_state = to_stored_text(sent.thread_state);
  row.messages = references_of(sent.messages);
  if (!sent.receipt_json.empty()) row.messages += (row.messages.empty() ? "?" : " ?") + sha256_hex(sent.receipt_json);
  row.content_hash = hash_of(row);
  return row;
}

TextsByHash texts_of(const SentContext& sent) {
  TextsByHash texts;
  for (const auto& message : sent.messages) {
    if (message.sequence_number == 0) texts.emplace(sha256_hex(message.message_json), message.message_json);
  }
  if (!sent.receipt_json.empty()) texts.emplace(sha256_hex(sent.receipt_json), sent.receipt_json);
  return texts;
}

Result<std::vector<std::string>> hashes_of(const StepRow& row) {
  std::set<std::string> hashes;
  const auto add = [&](std::string hash) { hashes.insert(std::move(hash)); };
  const bool good = for_each_reference(
      row.messages, [](auto, auto) {}, add, add);
  if (!good || row.content_hash != hash_of(row)) return damaged_row();
  return std::vector<std::string>(hashes.begin(), hashes.end());
}

Result<SentContext> from_step_row(const StepRow& row, const TextsByHash& texts) {
  if (row.content_hash != hash_of(row)) return damaged_row();
  auto agent = from_stored_text(row.agent);
  auto thread_state = from_stored_text(row.thread_state);
  bool good = agent && thread_state;
  if (!good) return damaged_row();
  SentContext sent;
  sent.step_number = row.step_number;
  sent.agent = std::move(*agent);
  sent.created_at = from_ms(row.created_at);
  sent.last_sequence = row.last_sequence;
  sent.thread_state = std::move(*thread_state);
  const auto add_rows = [&](std::int64_t first, std::int64_t last) {
    good = good && last - first < max_range;
    for (; good && first <= last; ++first) sent.messages.push_back({first, {}});
  };
  const auto text_of = [&](const std::string& hash) -> std::string {
    const auto text = texts.find(hash);
    good = good && text != texts.end() && sha256_hex(text->second) == hash;
    return good ? text->second : std::string();
  };
  const auto add_text = [&](const std::string& hash) { sent.messages.push_back({0, text_of(hash)}); };
  const auto add_receipt = [&](const std::string& hash) { sent.receipt_json = text_of(hash); };
  const bool readable = for_each_reference(row.messages, add_rows, add_text, add_receipt);
  if (!readable || !good) return damaged_row();
  return sent;
}

}  // namespace ctxmgr::conversation
