#include <array>

#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

/// In a tool's `extra_json`: the fields beside `function`, since those inside of it stand there directly.
constexpr std::string_view outer_fields = "_tool";

/// The two kinds of call that have a name and arguments, and where each keeps them.
struct CallShape {
  std::string_view type;
  std::string_view arguments_key;
};
constexpr std::array<CallShape, 2> call_shapes{{{"function", "arguments"}, {"custom", "input"}}};

const CallShape* find_shape(std::string_view type) {
  for (const CallShape& shape : call_shapes) {
    if (shape.type == type) return &shape;
  }
  return nullptr;
}

std::string form_of(const Json& object) {
  const std::string* type = get_string(object, "type");
  return type != nullptr ? *type : "function";
}

/// The `function` or `custom` object of a call.
struct CallBody {
  const CallShape& shape;
  ToolCall& call;
  std::string extra{};
};

void read_json(JsonReader& in, const Json& json, CallBody& out) {
  if (!in.is_object(json)) return;
  in.field(json, "name", out.call.name);
  TextOrJson arguments{out.call.arguments_json};
  in.field(json, out.shape.arguments_key, arguments);
  out.extra = extra_fields(json, std::array<std::string_view, 2>{"name", out.shape.arguments_key});
}

/// Name, description and schema, under the key that OpenAI or the one that Anthropic gives the schema.
void read_definition(JsonReader& in, const Json& json, std::string_view schema_key, ToolDefinition& out) {
  if (!in.is_object(json)) return;
  in.required(json, "name", out.name);
  in.field(json, "description", out.description);
  in.object_text(json, schema_key, out.parameters_json);
}

struct FunctionBody {
  ToolDefinition& tool;
};

void read_json(JsonReader& in, const Json& json, FunctionBody& out) {
  read_definition(in, json, "parameters", out.tool);
  if (!in.ok()) return;
  out.tool.extra_json = extra_fields(json, std::array<std::string_view, 3>{"name", "description", "parameters"});
}

/// A tool that only its provider understands: kept whole.
void read_opaque_tool(const Json& json, const std::string& type, ToolDefinition& out) {
  const Json* body = find_field(json, type);
  const std::string* name = get_string(body != nullptr ? *body : json, "name");
  out.name = name != nullptr ? *name : type;
  out.extra_json = dump_json(json);
}

/// Takes the fields beside `function` out of a tool's extra fields.
Json take_outer_fields(Json& extra) {
  const Json* found = find_field(extra, outer_fields);
  if (found == nullptr) return {};
  Json outer = *found;
  extra.erase(std::string(outer_fields));
  return outer;
}

/// Whether the tool is one that is kept whole.
bool is_opaque(const Json& extra) { return get_string(extra, "type") != nullptr; }

}  // namespace

void read_json(JsonReader& in, const Json& json, ToolCall& out) {
  if (!in.is_object(json)) return;
  const std::string type = form_of(json);
  in.field(json, "id", out.id);
  const CallShape* shape = find_shape(type);
  if (shape == nullptr) {
    out.extra_json = extra_fields(json, std::array<std::string_view, 1>{"id"});
    return;
  }
  CallBody body{*shape, out};
  in.required(json, type, body);
  Json extra = parse_object(extra_fields(json, std::array<std::string_view, 3>{"id", "type", type}));
  if (extra.is_null()) extra = Json::object();
  if (type != "function") extra["type"] = type;
  if (!body.extra.empty()) extra[type] = parse_object(body.extra);
  out.extra_json = extra.empty() ? std::string() : dump_json(extra);
}

Json write_json(const ToolCall& value) {
  const Json extra = parse_object(value.extra_json);
  const std::string type = form_of(extra);
  Json out = Json::object();
  if (!value.id.empty()) out["id"] = value.id;
  out["type"] = type;
  if (const CallShape* shape = find_shape(type)) {
    Json& body = out[type] = Json::object();
    body["name"] = value.name;
    body[std::string(shape->arguments_key)] = value.arguments_json;
    if (const Json* more = find_field(extra, type)) merge_fields(body, *more);
  }
  merge_fields(out, extra);
  return out;
}

void read_json(JsonReader& in, const Json& json, ToolDefinition& out) {
  if (!in.is_object(json)) return;
  const std::string type = form_of(json);
  const bool is_anthropic = find_field(json, "input_schema") != nullptr;
  if (type != "function" && !is_anthropic) return read_opaque_tool(json, type, out);

  const bool is_nested = find_field(json, "function") != nullptr;
  if (is_nested) {
    FunctionBody body{out};
    in.field(json, "function", body);
    const std::string outer = extra_fields(json, std::array<std::string_view, 2>{"type", "function"});
    if (outer.empty()) return;
    Json extra = parse_object(out.extra_json);
    if (extra.is_null()) extra = Json::object();
    extra[std::string(outer_fields)] = parse_object(outer);
    out.extra_json = dump_json(extra);
    return;
  }
  const std::string_view schema_key = is_anthropic ? "input_schema" : "parameters";
  read_definition(in, json, schema_key, out);
  out.extra_json = extra_fields(json, std::array<std::string_view, 4>{"type", "name", "description", schema_key});
}

Json write_json(const ToolDefinition& value) {
  Json extra = parse_object(value.extra_json);
  if (is_opaque(extra)) return extra;
  Json out = Json::object();
  out["type"] = "function";
  Json& body = out["function"] = Json::object();
  body["name"] = value.name;
  if (!value.description.empty()) body["description"] = value.description;
  Json parameters = parse_object(value.parameters_json);
  if (!parameters.is_null()) body["parameters"] = std::move(parameters);
  const Json outer = take_outer_fields(extra);
  merge_fields(body, extra);
  merge_fields(out, outer);
  return out;
}

/// A misspelled rule must not be ignored.
void read_json(JsonReader& in, const Json& json, ToolRule& out) {
  if (!in.is_object(json)) return;
  for (const auto& [name, value] : json.members()) {
    if (name != "tool" && name != "retention" && name != "max_result_tokens")
      return in.fail("there is no field \"" + name + "\", only tool, retention, max_result_tokens");
  }
  in.required(json, "tool", out.tool);
  in.field(json, "retention", out.retention);
  in.field(json, "max_result_tokens", out.max_result_tokens);
}

Json write_json(const ToolRule& value) {
  Json out{{"tool", value.tool}, {"retention", enum_name(value.retention)}};
  if (value.max_result_tokens) out["max_result_tokens"] = *value.max_result_tokens;
  return out;
}

std::string to_openai_json(const std::vector<ToolDefinition>& tools) { return dump_json(write_json(tools)); }

std::string to_anthropic_json(const std::vector<ToolDefinition>& tools) {
  Json out = Json::array();
  for (const ToolDefinition& tool : tools) {
    Json extra = parse_object(tool.extra_json);
    if (is_opaque(extra)) {
      out.push_back(std::move(extra));
      continue;
    }
    Json schema = parse_object(tool.parameters_json);
    if (schema.is_null()) schema = Json{{"type", "object"}};
    Json& added = out.emplace_back(Json::object());
    added["name"] = tool.name;
    if (!tool.description.empty()) added["description"] = tool.description;
    added["input_schema"] = std::move(schema);
    merge_fields(added, take_outer_fields(extra));
    merge_fields(added, extra);
  }
  return dump_json(out);
}

}  // namespace ctxmgr
