#include "adapters/conversation_rows.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "adapters/sqlite/checksum.hpp"
#include "core/sha256.hpp"
#include "core/utf8.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr::conversation {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::string_view hex_mark = "hex:";
constexpr std::int64_t max_range = 10'000'000;  // rows in one step: more than any prompt holds

template <class Enum>
struct Name {
  Enum value;
  std::string_view name;
};

// Stored by name: frozen.
constexpr Name<Role> roles[] = {{Role::system, "system"},
                                {Role::developer, "developer"},
                                {Role::user, "user"},
                                {Role::assistant, "assistant"},
                                {Role::tool, "tool"}};
constexpr Name<Retention> retentions[] = {
    {Retention::normal, "normal"}, {Retention::pinned, "pinned"}, {Retention::summarizable, "summarizable"}};
constexpr Name<PartKind> part_kinds[] = {
    {PartKind::text, "text"}, {PartKind::image, "image"}, {PartKind::file, "file"}, {PartKind::other, "other"}};
constexpr Name<ConversationStatus> statuses[] = {{ConversationStatus::active, "active"},
                                                 {ConversationStatus::archived, "archived"}};

template <class Table, class Enum>
std::string_view find_name(const Table& table, Enum value) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto& entry) { return entry.value == value; })
      ->name;
}

tl::unexpected<Error> damaged() { return fail(ErrorCode::bad_data, "a stored row is damaged"); }

/// Reads columns and JSON fields; remembers whether all of them were as they should be.
class Reader {
 public:
  bool good = true;

  std::string text(std::string_view stored) {
    auto bytes = from_stored_text(stored);
    good = good && bytes;
    return bytes ? std::move(*bytes) : std::string();
  }

  template <class Table>
  auto named(const Table& table, std::string_view name) {
    const auto* at = std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.name == name; });
    good = good && at != std::end(table);
    return at == std::end(table) ? std::begin(table)->value : at->value;
  }

  Json parse(std::string_view json) {
    Json parsed = Json::parse(json, nullptr, false);
    good = good && !parsed.is_discarded();
    return parsed;
  }

  std::string text(const Json& object, const char* key) {
    const auto* value = find(object, key);
    if (!value) return {};
    good = good && value->is_string();
    return value->is_string() ? text(std::string_view(value->get_ref<const std::string&>())) : std::string();
  }

  std::int64_t integer(const Json& object, const char* key) {
    const auto* value = find(object, key);
    if (!value) return 0;
    good = good && value->is_number_integer();
    return value->is_number_integer() ? value->get<std::int64_t>() : 0;
  }

  template <class Visit>
  void each(const Json& object, const char* key, Visit visit) {
    const auto* list = find(object, key);
    if (!list) return;
    good = good && list->is_array();
    if (list->is_array()) std::for_each(list->begin(), list->end(), visit);
  }

  const Json* find(const Json& object, const char* key) {
    good = good && object.is_object();
    if (!object.is_object()) return nullptr;
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
  }
};

void put(Json& object, const char* key, std::string_view bytes) {
  if (!bytes.empty()) object[key] = to_stored_text(bytes);
}

std::int64_t to_ms(Timestamp time) {
  return std::chrono::floor<milliseconds>(time).time_since_epoch() / milliseconds(1);
}
Timestamp from_ms(std::int64_t ms) { return Timestamp(milliseconds(ms)); }

std::string parts_json(const std::vector<ContentPart>& parts) {
  Json list = Json::array();
  for (const auto& part : parts) {
    Json& entry = list.emplace_back(Json{{"kind", find_name(part_kinds, part.kind)}});
    put(entry, "text", part.text);
    put(entry, "json", part.json);
  }
  return list.dump();
}

std::string tool_json(const ConversationMessage& message) {
  Json data = Json::object();
  for (const auto& call : message.tool_calls) {
    Json& entry = data["tool_calls"].emplace_back(Json::object());
    put(entry, "id", call.id);
    put(entry, "name", call.name);
    put(entry, "arguments", call.arguments_json);
    put(entry, "extra", call.extra_json);
  }
  put(data, "tool_call_id", message.tool_call_id);
  put(data, "name", message.name);
  put(data, "extra", message.extra_json);
  return data.empty() ? std::string() : data.dump();
}

Json step_json(const ReasoningStepRecord& step) {
  Json entry{{"step_index", step.step_index}};
  put(entry, "thought", step.thought);
  for (const auto& prediction : step.tool_predictions) {
    Json& made = entry["tool_predictions"].emplace_back(Json::object());
    put(made, "tool_name", prediction.tool_name);
    put(made, "arguments", prediction.arguments_json);
    put(made, "reasoning", prediction.reasoning);
  }
  for (const auto& result : step.tool_results) {
    Json& made = entry["tool_results"].emplace_back(Json{{"success", result.success ? 1 : 0}});
    put(made, "tool_name", result.tool_name);
    put(made, "result", result.result);
    put(made, "error", result.error);
    made["execution_time_ms"] = static_cast<std::int64_t>(result.execution_time.count());
  }
  if (step.timestamp) entry["timestamp_ms"] = to_ms(*step.timestamp);
  return entry;
}

std::string reasoning_json(const std::vector<ReasoningStepRecord>& steps) {
  if (steps.empty()) return {};
  Json list = Json::array();
  for (const auto& step : steps) list.push_back(step_json(step));
  return list.dump();
}

void read_tool_data(Reader& reader, std::string_view json, ConversationMessage& message) {
  if (json.empty()) return;
  const Json data = reader.parse(json);
  reader.each(data, "tool_calls", [&](const Json& call) {
    message.tool_calls.push_back({reader.text(call, "id"), reader.text(call, "name"), reader.text(call, "arguments"),
                                  reader.text(call, "extra")});
  });
  message.tool_call_id = reader.text(data, "tool_call_id");
  message.name = reader.text(data, "name");
  message.extra_json = reader.text(data, "extra");
}

ReasoningStepRecord read_step(Reader& reader, const Json& entry) {
  ReasoningStepRecord step;
  step.step_index = static_cast<int>(reader.integer(entry, "step_index"));
  step.thought = reader.text(entry, "thought");
  reader.each(entry, "tool_predictions", [&](const Json& made) {
    step.tool_predictions.push_back(
        {reader.text(made, "tool_name"), reader.text(made, "arguments"), reader.text(made, "reasoning")});
  });
  reader.each(entry, "tool_results", [&](const Json& made) {
    step.tool_results.push_back({reader.text(made, "tool_name"), reader.integer(made, "success") != 0,
                                 reader.text(made, "result"), reader.text(made, "error"),
                                 milliseconds(reader.integer(made, "execution_time_ms"))});
  });
  if (reader.find(entry, "timestamp_ms")) step.timestamp = from_ms(reader.integer(entry, "timestamp_ms"));
  return step;
}

void read_content(Reader& reader, const MessageRow& row, ConversationMessage& message) {
  if (row.content_kind == "text") {
    message.content = reader.text(row.content);
  } else if (row.content_kind == "parts") {
    std::vector<ContentPart> parts;
    const Json list = reader.parse(row.content);
    for (const auto& entry : list) {
      parts.push_back({reader.named(part_kinds, reader.text(entry, "kind")), reader.text(entry, "text"),
                       reader.text(entry, "json")});
    }
    message.content = std::move(parts);
  } else {
    reader.good = reader.good && row.content_kind == "absent";
  }
}

using sqlite::RowChecksum;

std::string digits_of(const RowChecksum& checksum) {
  std::string digits(16, '0');
  auto value = static_cast<std::uint64_t>(checksum.value());
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 4)
    *digit = "0123456789abcdef"[value & 15];
  return digits;
}

// Reading a row hashes it again: a checksum, since SHA-256 would cost more than the rest of reading.
std::string hash_of(const MessageRow& row) {
  RowChecksum hash;
  for (const auto* field :
       {&row.role, &row.content_kind, &row.content, &row.agent, &row.tool_data, &row.reasoning_data, &row.retention}) {
    hash.add(std::string_view(*field));
  }
  for (const std::int64_t number :
       {row.sequence_number, std::int64_t{row.is_fixed}, row.summary_first, row.summary_last, row.created_at}) {
    hash.add(static_cast<std::uint64_t>(number));
  }
  return digits_of(hash);
}

std::string hash_of(const StepRow& row) {
  RowChecksum hash;
  for (const auto* field : {&row.agent, &row.thread_state, &row.messages}) hash.add(std::string_view(*field));
  for (const std::int64_t number : {row.step_number, row.created_at, row.last_sequence}) {
    hash.add(static_cast<std::uint64_t>(number));
  }
  return digits_of(hash);
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

/// Calls `on_rows(first, last)` and `on_text(hash)` in order; false where the line is none.
template <class OnRows, class OnText>
bool for_each_reference(std::string_view line, OnRows on_rows, OnText on_text) {
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const std::string_view token = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (token.substr(0, 1) == "=") {
      on_text(std::string(token.substr(1)));
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

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

Result<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return damaged();
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) return damaged();
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string to_stored_text(std::string_view bytes) {
  const bool plain = bytes.find('\0') == std::string_view::npos && bytes.substr(0, hex_mark.size()) != hex_mark &&
                     utf8::is_valid(bytes);
  return plain ? std::string(bytes) : std::string(hex_mark) + to_hex(bytes);
}

Result<std::string> from_stored_text(std::string_view text) {
  if (text.substr(0, hex_mark.size()) != hex_mark) return std::string(text);
  return from_hex(text.substr(hex_mark.size()));
}

MessageRow to_row(const ConversationMessage& message, std::int64_t sequence_number, std::int64_t token_count) {
  MessageRow row;
  row.sequence_number = sequence_number;
  row.role = find_name(roles, message.role);
  row.content_kind = message.content.index() == 0 ? "absent" : message.content.index() == 1 ? "text" : "parts";
  if (const auto* text = std::get_if<std::string>(&message.content)) row.content = to_stored_text(*text);
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content)) row.content = parts_json(*parts);
  row.agent = to_stored_text(message.agent);
  row.tool_data = tool_json(message);
  row.reasoning_data = reasoning_json(message.reasoning_steps);
  row.retention = find_name(retentions, message.retention);
  row.is_fixed = is_fixed(message) ? 1 : 0;
  if (message.summary_of) {
    row.summary_first = message.summary_of->first;
    row.summary_last = message.summary_of->last;
  }
  row.token_count = token_count;
  row.created_at = to_ms(message.created_at.value_or(std::chrono::system_clock::now()));
  row.content_hash = hash_of(row);
  return row;
}

Result<ConversationMessage> from_row(const MessageRow& row) {
  if (row.content_hash != hash_of(row)) return damaged();
  Reader reader;
  ConversationMessage message;
  message.sequence_number = row.sequence_number;
  message.role = reader.named(roles, row.role);
  message.retention = reader.named(retentions, row.retention);
  message.agent = reader.text(row.agent);
  message.created_at = from_ms(row.created_at);
  if (row.summary_last >= 0) message.summary_of = SequenceRange{row.summary_first, row.summary_last};
  read_content(reader, row, message);
  read_tool_data(reader, row.tool_data, message);
  if (!row.reasoning_data.empty()) {
    const Json steps = reader.parse(row.reasoning_data);
    for (const auto& entry : steps) message.reasoning_steps.push_back(read_step(reader, entry));
  }
  if (!reader.good) return damaged();
  return message;
}

StepRow to_step_row(const SentContext& sent, std::int64_t step_number) {
  StepRow row;
  row.step_number = step_number;
  row.agent = to_stored_text(sent.agent);
  row.created_at = to_ms(sent.created_at.value_or(std::chrono::system_clock::now()));
  row.last_sequence = sent.last_sequence;
  row.thread_state = to_stored_text(sent.thread_state);
  row.messages = references_of(sent.messages);
  row.content_hash = hash_of(row);
  return row;
}

TextsByHash texts_of(const SentContext& sent) {
  TextsByHash texts;
  for (const auto& message : sent.messages) {
    if (message.sequence_number == 0) texts.emplace(sha256_hex(message.message_json), message.message_json);
  }
  return texts;
}

Result<std::vector<std::string>> hashes_of(const StepRow& row) {
  std::set<std::string> hashes;
  const bool good = for_each_reference(
      row.messages, [](auto, auto) {}, [&](std::string hash) { hashes.insert(std::move(hash)); });
  if (!good || row.content_hash != hash_of(row)) return damaged();
  return std::vector<std::string>(hashes.begin(), hashes.end());
}

Result<SentContext> from_step_row(const StepRow& row, const TextsByHash& texts) {
  if (row.content_hash != hash_of(row)) return damaged();
  Reader reader;
  SentContext sent;
  sent.step_number = row.step_number;
  sent.agent = reader.text(row.agent);
  sent.created_at = from_ms(row.created_at);
  sent.last_sequence = row.last_sequence;
  sent.thread_state = reader.text(row.thread_state);
  const auto add_rows = [&](std::int64_t first, std::int64_t last) {
    reader.good = reader.good && last - first < max_range;
    for (; reader.good && first <= last; ++first) sent.messages.push_back({first, {}});
  };
  const auto add_text = [&](const std::string& hash) {
    const auto text = texts.find(hash);
    reader.good = reader.good && text != texts.end() && sha256_hex(text->second) == hash;
    if (reader.good) sent.messages.push_back({0, text->second});
  };
  const bool good = for_each_reference(row.messages, add_rows, add_text);
  if (!good || !reader.good) return damaged();
  return sent;
}

std::string_view name_of(ConversationStatus status) { return find_name(statuses, status); }

Result<ConversationStatus> status_of(std::string_view name) {
  Reader reader;
  const auto status = reader.named(statuses, name);
  if (!reader.good) return damaged();
  return status;
}

}  // namespace ctxmgr::conversation
