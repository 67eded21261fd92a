#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/json/content_field.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/responses.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_forms.hpp"

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

/// Whether a host's tool answers the item: it names a call, as those do not that the service carries out itself.
bool is_call(const Json& item, const std::string& type) {
  return type == "function_call" || (forms::ends_with(type, "_call") && get_string(item, "call_id") != nullptr);
}

void read_call(JsonReader& in, const Json& item, const std::string& type, ToolCall& out) {
  in.required(item, "call_id", out.id);
  if (type != "function_call") {
    out.name = type;
    out.extra_json = dump_json(item);  // As it is: its arguments have another form each.
    return;
  }
  TextOrJson arguments{out.arguments_json};
  in.required(item, "name", out.name);
  in.field(item, "arguments", arguments);
  out.extra_json =
      extra_fields(item, std::array<std::string_view, 6>{"type", "id", "status", "call_id", "name", "arguments"});
}

bool is_result(const Json& item, const std::string& type) {
  return forms::ends_with(type, "_call_output") ||
         (forms::ends_with(type, "_output") && type != "program_output" && get_string(item, "call_id") != nullptr);
}

/// What has to be sent as long as the thread goes on. Nothing after a compaction means anything without it, calls that a
/// program of the service made are refused without the program, and it without its output; tools are there from where they
/// were added.
bool is_always_sent(const Json& item, const std::string& type) {
  if (type == "compaction" || type == "program" || type == "program_output" || type == "additional_tools") return true;
  const Json* const caller = find_field(item, "caller");
  return caller != nullptr && caller->is_object() && forms::type_of(*caller) == "program";
}

void read_result(JsonReader& in, const Json& item, const std::string& type, ConversationMessage& out) {
  out.role = Role::tool;
  if (type != "function_call_output") out.extra_json = dump_json({{item_key, type}});
  // The service's types give a local shell's result the call's id as its own.
  const bool names_call = type != "local_shell_call_output" || get_string(item, "call_id") != nullptr;
  in.required(item, names_call ? "call_id" : "id", out.tool_call_id);
  if (type == "function_call_output" || type == "custom_tool_call_output") {
    ContentField content{out.content};
    in.field(item, "output", content);
    return;
  }
  const Json* const output = find_field(item, "output");
  if (output != nullptr && output->is_string()) {
    out.content = output->string();
  } else {
    out.content = Parts{{PartKind::other, {}, dump_json(item)}};  // Takes no other text: it goes back as it is.
  }
}

/// The items up to where somebody else has the word.
class ItemReader {
 public:
  explicit ItemReader(JsonReader& in) : reader_(in) {}

  void read(const Json& item) {
    ++count_;
    if (!reader_.is_object(item)) return;
    auto type = forms::type_of(item);
    if (type.empty() && find_field(item, "role") != nullptr) type = "message";
    const std::string* const role = get_string(item, "role");
    if (type == "message" && (role == nullptr || *role != "assistant")) {
      read_input(item);
    } else if (is_result(item, type)) {
      read_result(reader_, item, type, add());
    } else {
      read_output(item, type);
    }
  }

  ResponsesMessages finish() && {
    for (ConversationMessage& message : out_.messages) tidy(message);
    return std::move(out_);
  }

 private:
  ConversationMessage& add() {
    is_open_ = false;
    out_.items.emplace_back(count_ - 1, count_);
    return out_.messages.emplace_back();
  }

  void read_input(const Json& item) {
    ConversationMessage& message = add();
    ContentField content{message.content};
    reader_.required(item, "role", message.role);
    if (reader_.ok() && message.role == Role::tool)
      reader_.fail("expected the role user, assistant, system or developer");
    reader_.required(item, "content", content);
  }

  void read_output(const Json& item, const std::string& type) {
    const bool is_compaction = type == "compaction";
    if (!is_open_ || is_compaction != is_of_compactions_) {  // Those are always sent: what stands beside them may go.
      is_of_compactions_ = is_compaction;
      add().role = Role::assistant;
      out_.messages.back().content = Parts();
      is_open_ = true;
    }
    out_.items.back().second = count_;
    ConversationMessage& message = out_.messages.back();
    Parts& parts = std::get<Parts>(message.content);
    if (type == "message") {
      read_words(item, parts);
    } else if (is_call(item, type)) {
      ToolCall& call = message.tool_calls.emplace_back();
      read_call(reader_, item, type, call);
      parts.push_back(forms::call_part(call.id));
    } else {
      parts.push_back({PartKind::other, {}, dump_json(item)});
    }
    if (is_always_sent(item, type)) message.retention = Retention::pinned;
  }

  void read_words(const Json& item, Parts& parts) {
    MessageContent content;
    ContentField field{content};
    reader_.required(item, "content", field);
    if (auto* const text = std::get_if<std::string>(&content))
      content = Parts{{PartKind::text, std::string(*text), {}}};
    const std::string* const phase = get_string(item, "phase");
    auto* const several = std::get_if<Parts>(&content);
    if (several == nullptr) return;
    for (ContentPart& part : *several) {
      if (phase != nullptr && part.kind == PartKind::text) {
        Json extra = parse_object(part.json);
        if (extra.is_null()) extra = Json::object();
        extra["phase"] = *phase;
        part.json = dump_json(extra);
      }
      parts.push_back(std::move(part));
    }
  }

  static void tidy(ConversationMessage& message) {
    auto* const parts = std::get_if<Parts>(&message.content);
    if (message.role != Role::assistant || parts == nullptr) return;
    forms::drop_last_calls(*parts);
    if (parts->empty()) message.content = std::monostate();
  }

  JsonReader& reader_;
  ResponsesMessages out_;
  std::size_t count_ = 0;
  bool is_open_ = false;            ///< The last message is the model's, and takes what it puts out next.
  bool is_of_compactions_ = false;  ///< It takes compactions only.
};

struct Input {
  ResponsesMessages read{};
};

struct Item {
  ItemReader& reader;
};

void read_json(JsonReader&, const Json& json, Item& out) { out.reader.read(json); }

void read_json(JsonReader& in, const Json& json, Input& out) {
  if (json.is_string()) {
    out.read = {{{Role::user, json.string()}}, {{0, 1}}};
    return;
  }
  if (!json.is_array()) return in.expected("a string or an array of items", json);
  ItemReader reader(in);
  Item item{reader};
  for (std::size_t i = 0; i < json.size() && in.ok(); ++i) in.item(i, json[i], item);
  out.read = std::move(reader).finish();
}

}  // namespace

Result<ResponsesMessages> read_responses_items(const Json& input) {
  return decode_json<Input>(input).map([](Input read) { return std::move(read.read); });
}

Result<std::vector<ConversationMessage>> from_responses_json(std::string_view json) {
  return parse_json(json)
      .and_then([](const Json& parsed) { return read_responses_items(parsed); })
      .map([](ResponsesMessages read) { return std::move(read.messages); });
}

}  // namespace ctxmgr
