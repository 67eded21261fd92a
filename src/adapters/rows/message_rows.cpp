#include "adapters/rows/message_rows.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/rows/stored_columns.hpp"
#include "core/enum_tables.hpp"
#include "core/json/json.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr::conversation {
namespace {

using std::chrono::milliseconds;

/// Reads columns and JSON fields; remembers whether all of them were as they should be.
class Reader {
 public:
  bool good = true;

  std::string text(std::string_view stored) {
    auto bytes = from_stored_text(stored);
    good = good && bytes;
    return bytes ? std::move(*bytes) : std::string();
  }

  template <class Enum>
  Enum named(std::string_view name) {
    const auto value = parse_enum<Enum>(name);
    good = good && value;
    return value.value_or(Enum{});
  }

  Json parse(std::string_view json) {
    auto parsed = parse_json(json);
    good = good && parsed;
    return parsed ? *std::move(parsed) : Json();
  }

  std::string text(const Json& object, const char* key) {
    const auto* value = find(object, key);
    if (!value) return {};
    good = good && value->is_string();
    return value->is_string() ? text(std::string_view(value->string())) : std::string();
  }

  std::int64_t integer(const Json& object, const char* key) {
    const auto* value = find(object, key);
    if (!value) return 0;
    good = good && value->is_integer();
    return value->is_integer() ? value->integer() : 0;
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
    return object.find(key);
  }
};

void put(Json& object, const char* key, std::string_view bytes) {
  if (!bytes.empty()) object[key] = to_stored_text(bytes);
}

std::string parts_json(const std::vector<ContentPart>& parts) {
  Json list = Json::array();
  for (const auto& part : parts) {
    Json& entry = list.emplace_back(Json{{"kind", enum_name(part.kind)}});
    put(entry, "text", part.text);
    put(entry, "json", part.json);
  }
  return dump_json(list);
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
  return data.empty() ? std::string() : dump_json(data);
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
  return dump_json(list);
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
      parts.push_back(
          {reader.named<PartKind>(reader.text(entry, "kind")), reader.text(entry, "text"), reader.text(entry, "json")});
    }
    message.content = std::move(parts);
  } else {
    reader.good = reader.good && row.content_kind == "absent";
  }
}

// Reading a row hashes it again: a checksum, since SHA-256 would cost more than the rest of reading.
std::string hash_of(const MessageRow& row) {
  sqlite::RowChecksum hash;
  for (const auto* field :
       {&row.role, &row.content_kind, &row.content, &row.agent, &row.tool_data, &row.reasoning_data, &row.retention}) {
    hash.add(std::string_view(*field));
  }
  for (const std::int64_t number :
       {row.sequence_number, std::int64_t{row.is_fixed}, row.summary_first, row.summary_last, row.created_at}) {
    hash.add(static_cast<std::uint64_t>(number));
  }
  return to_hex(hash);
}

}  // namespace

MessageRow to_row(const ConversationMessage& message, std::int64_t sequence_number, std::int64_t token_count) {
  MessageRow row;
  row.sequence_number = sequence_number;
  row.role = enum_name(message.role);
  row.content_kind = message.content.index() == 0 ? "absent" : message.content.index() == 1 ? "text" : "parts";
  if (const auto* text = std::get_if<std::string>(&message.content)) row.content = to_stored_text(*text);
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content)) row.content = parts_json(*parts);
  row.agent = to_stored_text(message.agent);
  row.tool_data = tool_json(message);
  row.reasoning_data = reasoning_json(message.reasoning_steps);
  row.retention = enum_name(message.retention);
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
  if (row.content_hash != hash_of(row)) return damaged_row();
  Reader reader;
  ConversationMessage message;
  message.sequence_number = row.sequence_number;
  message.role = reader.named<Role>(row.role);
  message.retention = reader.named<Retention>(row.retention);
  message.agent = reader.text(row.agent);
  message.created_at = from_ms(row.created_at);
  if (row.summary_last >= 0) message.summary_of = SequenceRange{row.summary_first, row.summary_last};
  read_content(reader, row, message);
  read_tool_data(reader, row.tool_data, message);
  if (!row.reasoning_data.empty()) {
    const Json steps = reader.parse(row.reasoning_data);
    for (const auto& entry : steps) message.reasoning_steps.push_back(read_step(reader, entry));
  }
  if (!reader.good) return damaged_row();
  return message;
}

namespace {

/// Says which of the rows `first` to `last` the page lacks: at most five ranges of them.
std::string name_missing(const std::vector<std::int64_t>& there, std::int64_t first, std::int64_t last) {
  std::string named;
  int ranges = 0;
  const auto name = [&](std::int64_t from, std::int64_t to) {
    if (from > to || ++ranges > 6) return;
    if (!named.empty()) named += ", ";
    named += ranges == 6 ? "…" : from == to ? std::to_string(from) : std::to_string(from) + " to " + std::to_string(to);
  };
  std::int64_t next = first;
  for (const auto number : there) {
    name(next, number - 1);
    next = number + 1;
  }
  name(next, last);
  return named;
}

}  // namespace

Result<void> check_gapless(const std::vector<ConversationMessage>& page, const MessageQuery& query,
                           std::int64_t last_sequence) {
  if (query.fixed_only || query.skip_damaged) return {};
  const bool backwards = query.newest_first;
  const std::int64_t first = std::max<std::int64_t>(1, query.first_sequence);
  const std::int64_t last = std::min(last_sequence, query.last_sequence);
  const std::size_t rows = last < first ? 0 : static_cast<std::size_t>(last - first) + 1;
  const std::size_t wanted = std::min(rows, query.limit);
  std::vector<std::int64_t> there;
  for (const auto& message : page) there.push_back(message.sequence_number.value_or(0));
  if (backwards) std::reverse(there.begin(), there.end());
  const auto count = static_cast<std::int64_t>(wanted);
  const std::int64_t begin = backwards ? last - count + 1 : first;
  const std::int64_t end = begin + count - 1;
  if (there.size() == wanted && (wanted == 0 || (there.front() == begin && there.back() == end))) return {};
  if (there.size() > wanted) return fail(ErrorCode::bad_data, "the conversation has rows after its last one");
  // A page that had to reach further for its rows shows where it did.
  const std::int64_t from = there.empty() ? begin : std::min(begin, there.front());
  const std::int64_t to = there.empty() ? end : std::max(end, there.back());
  return fail(ErrorCode::bad_data, "rows " + name_missing(there, from, to) + " of the conversation are missing");
}

}  // namespace ctxmgr::conversation
