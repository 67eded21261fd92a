#include "serve/windows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "serve/bounded_json.hpp"
#include "serve/headers.hpp"
#include "serve/whole_answer.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_listing_bytes = std::size_t{4} << 20;
constexpr std::size_t most_models = 1'000;
constexpr std::chrono::seconds patience{5};
constexpr std::string_view llama_cpp = "llamacpp";  // As they name themselves in `owned_by`.
constexpr std::string_view ollama = "library";
constexpr const char* latest = ":latest";  // Of Ollama: where a name has no version, this one is meant.

/// What cannot be a window is none.
std::optional<std::int64_t> tokens_in(const ordered_json& object, const char* name) {
  constexpr std::int64_t least = 256;
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const auto* const field = member(object, name);
  if (field == nullptr || !field->is_number_integer()) return std::nullopt;
  const auto tokens = field->get<std::int64_t>();
  if (tokens < least || tokens > most) return std::nullopt;
  return tokens;
}

std::optional<std::int64_t> window_of(const ordered_json& model) {
  for (const char* const name :
       {"max_model_len", "context_length", "context_window", "loaded_context_length", "max_context_length"}) {
    if (const auto tokens = tokens_in(model, name)) return tokens;
  }
  const auto* const meta = member(model, "meta");
  return meta == nullptr ? std::nullopt : tokens_in(*meta, "n_ctx");
}

/// The number that begins at this place.
std::optional<std::int64_t> tokens_at(const std::string& text, std::size_t at) {
  return tokens_in({{"tokens", std::strtoll(text.c_str() + at, nullptr, 10)}}, "tokens");
}

/// "num_ctx 4096" among the lines of a model's parameters.
std::optional<std::int64_t> started_with(const std::string& parameters) {
  constexpr std::string_view name = "num_ctx";
  const auto found = parameters.find(name);
  if (found == std::string::npos) return std::nullopt;
  return tokens_at(parameters, found + name.size());
}

class Question {
 public:
  Question(const ctxmgr::HttpRelay& relay, const ctxmgr::HttpHeaders& headers, const ctxmgr::CallOptions& call)
      : relay_(relay), call_(call) {
    for (const auto& [name, value] : headers) {
      if (name != "content-type" && name != "accept") headers_.emplace_back(name, value);
    }
    headers_.emplace_back("content-type", "application/json");
    const auto until = std::chrono::steady_clock::now() + patience;
    if (!call_.deadline || *call_.deadline > until) call_.deadline = until;
  }

  /// Empty where there is no such answer.
  [[nodiscard]] std::string answer(const char* method, const char* path, std::string body = {}) const {
    auto answer = relay_(method, path, std::move(body), headers_, call_);
    was_answered_ = was_answered_ || (answer && (*answer)->status() < 500);
    if (!answer || (*answer)->status() != 200) return {};
    const auto whole = WholeAnswer::read(std::move(*answer), most_listing_bytes, call_);
    return whole && (*whole)->has_ended() ? (*whole)->body() : std::string();
  }

  /// Whether the service is there: what it does not say then, it will not say another time.
  [[nodiscard]] bool was_answered() const { return was_answered_; }

 private:
  const ctxmgr::HttpRelay& relay_;
  mutable bool was_answered_ = false;
  ctxmgr::CallOptions call_;
  ctxmgr::HttpHeaders headers_{};
};

}  // namespace

Listed window_in_models(const std::string& answer, const std::string& model) {
  const auto parsed = read_json(answer);
  const auto* const models = member(parsed, "data");
  if (models == nullptr || !models->is_array()) return {};
  for (const auto& entry : *models) {
    const auto owner = string_at(entry, "owned_by");
    const bool is_only_one = models->size() == 1 && owner == llama_cpp;  // It takes any name for the one that it has.
    const auto id = string_at(entry, "id");
    if (is_only_one || id == model || id == model + latest) return {window_of(entry), owner};
  }
  return {};
}

std::optional<std::int64_t> window_in_props(const std::string& answer) {
  const auto parsed = read_json(answer);
  if (const auto tokens = tokens_in(parsed, "n_ctx")) return tokens;
  const auto* const settings = member(parsed, "default_generation_settings");
  return settings == nullptr ? std::nullopt : tokens_in(*settings, "n_ctx");
}

std::optional<std::int64_t> window_in_show(const std::string& answer) {
  const auto parsed = read_json(answer);
  if (const auto tokens = started_with(string_at(parsed, "parameters"))) return tokens;
  const auto* const info = member(parsed, "model_info");
  if (info == nullptr || !info->is_object()) return std::nullopt;
  constexpr std::string_view ending = ".context_length";
  for (const auto& [name, value] : info->items()) {
    if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      return tokens_in(*info, name.c_str());
  }
  return std::nullopt;
}

std::optional<std::int64_t> window_in_loaded(const std::string& answer, const std::string& model) {
  const auto parsed = read_json(answer);
  const auto* const models = member(parsed, "models");
  if (models == nullptr || !models->is_array()) return std::nullopt;
  const auto is_it = [&model](const ordered_json& entry) {
    for (const char* const field : {"name", "model"}) {
      const auto name = string_at(entry, field);
      if (name == model || name == model + latest) return true;
    }
    return false;
  };
  const auto found = std::find_if(models->begin(), models->end(), is_it);
  return found == models->end() ? std::nullopt : tokens_in(*found, "context_length");
}

std::optional<std::int64_t> window_in_refusal(const std::string& body) {
  const auto parsed = read_json(body);
  if (const auto* const error = member(parsed, "error"); error != nullptr) {
    if (const auto tokens = tokens_in(*error, "n_ctx")) return tokens;
  }
  for (const std::string_view words : {"maximum context length is ", "maximum number of tokens allowed ("}) {
    const auto found = body.find(words);
    if (found == std::string::npos) continue;
    if (const auto tokens = tokens_at(body, found + words.size())) return tokens;
  }
  const auto maximum = body.find(" maximum");
  const auto more = maximum == std::string::npos ? maximum : body.rfind("> ", maximum);
  if (more == std::string::npos || body.find_first_not_of("0123456789", more + 2) != maximum) return std::nullopt;
  return tokens_at(body, more + 2);
}

Windows::Known& Windows::entry(const Key& key) {
  if (windows_.size() >= most_models && windows_.count(key) == 0) windows_.clear();
  return windows_[key];
}

std::optional<std::int64_t> Windows::known(const std::string& owner, const std::string& model) const {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find({owner, model});
  return found == windows_.end() ? std::nullopt : found->second.window;
}

void Windows::tell(const std::string& owner, const std::string& model, std::int64_t window) {
  const std::lock_guard lock(mutex_);
  auto& known = entry({owner, model});
  known.window = window;
  known.is_certain = true;
}

void Windows::doubt(const std::string& owner, const std::string& model) {
  constexpr int most_doubts = 3;  // Some services always report less than was counted.
  const std::lock_guard lock(mutex_);
  auto& known = entry({owner, model});
  known.is_certain = ++known.doubts > most_doubts;
}

bool Windows::is_in_doubt(const std::string& owner, const std::string& model) const {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find({owner, model});
  return found != windows_.end() && !found->second.is_certain;
}

std::optional<std::int64_t> Windows::ask(const std::string& owner, const std::string& model,
                                         const ctxmgr::HttpHeaders& headers, const ctxmgr::CallOptions& call) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = windows_.find({owner, model}); found != windows_.end() && found->second.is_certain)
      return found->second.window;
  }
  const Question question(relay_, headers, call);
  auto [window, maker] = window_in_models(question.answer("GET", "/v1/models"), model);
  bool is_certain = true;
  if (!window && maker == ollama) {
    window = window_in_loaded(question.answer("GET", "/api/ps"), model);
    is_certain = window.has_value();
    if (!window) window = window_in_show(question.answer("POST", "/api/show", text_of({{"model", model}})));
  }
  if (!window && maker == llama_cpp) window = window_in_props(question.answer("GET", "/props"));
  const std::lock_guard lock(mutex_);
  auto& known = entry({owner, model});
  if (window) known.window = window;
  known.is_certain = question.was_answered() && is_certain;
  return known.window;
}

}  // namespace ctxpack::serve
