#include "presets.hpp"

#include <initializer_list>
#include <nlohmann/json.hpp>

namespace ctxpack {
namespace {

constexpr const char* anthropic_variable = "ANTHROPIC_BASE_URL";
constexpr std::initializer_list<const char*> openai_variables = {"OPENAI_BASE_URL", "OPENAI_API_BASE"};
constexpr const char* opencode_config = "OPENCODE_CONFIG_CONTENT";

std::string_view name_of(std::string_view program) { return program.substr(program.rfind('/') + 1); }

std::string value_in(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? "" : value;
}

void add_anthropic(const BaseUrls& urls, Preset& preset) {
  preset.variables.emplace_back(anthropic_variable, urls.anthropic);
  preset.variables.emplace_back("ANTHROPIC_API_BASE", urls.anthropic);
}

void add_openai(const BaseUrls& urls, Preset& preset) {
  for (const char* const name : openai_variables) preset.variables.emplace_back(name, urls.openai);
}

/// A TOML string: a URL has no character that would end it.
std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// Behind another address than the service's own, Claude Code sends every tool's definition, unless it is told that it may
/// search them.
void prepare_claude(const BaseUrls& urls, const Environment& environment, Preset& preset) {
  preset.uses_openai = false;
  preset.variables.emplace_back(anthropic_variable, urls.anthropic);
  if (environment("ENABLE_TOOL_SEARCH") == nullptr) preset.variables.emplace_back("ENABLE_TOOL_SEARCH", "true");
}

/// It reads no variable: its settings name the provider, and these stand before what its file says.
void prepare_codex(const BaseUrls& urls, const Environment&, Preset& preset) {
  preset.uses_anthropic = false;
  preset.arguments = {"-c", "model_provider=\"ctxpack\"", "-c",
                      "model_providers.ctxpack={name=\"ctxpack\",base_url=" + quoted(urls.openai) +
                          ",wire_api=\"responses\",env_key=\"OPENAI_API_KEY\"}"};
}

void prepare_qwen(const BaseUrls& urls, const Environment&, Preset& preset) {
  preset.uses_anthropic = false;
  add_openai(urls, preset);
  preset.arguments = {"--openai-base-url", urls.openai};
}

/// Its variable is read after its files, and adds to them.
void prepare_opencode(const BaseUrls& urls, const Environment& environment, Preset& preset) {
  auto config = nlohmann::ordered_json::parse(value_in(environment, opencode_config), nullptr, false);
  if (!config.is_object()) config = nlohmann::ordered_json::object();
  config["provider"]["openai"]["options"]["baseURL"] = urls.openai;
  config["provider"]["anthropic"]["options"]["baseURL"] = urls.anthropic + "/v1";
  preset.variables.emplace_back(opencode_config, config.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void prepare_aider(const BaseUrls& urls, const Environment&, Preset& preset) {
  add_anthropic(urls, preset);
  add_openai(urls, preset);
}

struct Known {
  std::string_view name;
  void (*prepare)(const BaseUrls& urls, const Environment& environment, Preset& preset);
};

constexpr Known known_programs[] = {{"claude", prepare_claude},
                                    {"codex", prepare_codex},
                                    {"qwen", prepare_qwen},
                                    {"opencode", prepare_opencode},
                                    {"aider", prepare_aider}};

}  // namespace

Preset preset_of(std::string_view program, const BaseUrls& urls, const Environment& environment) {
  Preset preset;
  for (const auto& known : known_programs) {
    if (name_of(program) != known.name) continue;
    preset.is_known = true;
    known.prepare(urls, environment, preset);
    return preset;
  }
  add_anthropic(urls, preset);
  add_openai(urls, preset);
  return preset;
}

BaseUrls upstreams_in(const Environment& environment) {
  BaseUrls urls{"https://api.anthropic.com", "https://api.openai.com/v1"};
  if (const auto given = value_in(environment, anthropic_variable); !given.empty()) urls.anthropic = given;
  for (const char* const name : openai_variables) {
    const auto given = value_in(environment, name);
    if (given.empty()) continue;
    urls.openai = given;
    break;
  }
  return urls;
}

}  // namespace ctxpack
