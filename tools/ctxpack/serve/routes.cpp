#include "serve/routes.hpp"

#include <algorithm>
#include <array>

namespace ctxpack::serve {
namespace {

constexpr std::string_view receipts = "/v1/receipts/";

/// Of both services, without "/v1/".
constexpr std::array<std::string_view, 24> known = {
    "assistants", "audio",  "batches",     "chat",   "completions", "containers", "conversations", "embeddings",
    "evals",      "files",  "fine_tuning", "images", "messages",    "models",     "moderations",   "organization",
    "realtime",   "rerank", "responses",   "skills", "threads",     "uploads",    "vector_stores", "videos"};

bool is_known(std::string_view path) {
  constexpr std::string_view version = "/v1/";
  if (path.substr(0, version.size()) != version) return false;
  path.remove_prefix(version.size());
  return std::find(known.begin(), known.end(), path.substr(0, path.find('/'))) != known.end();
}

Route page_of(std::string_view path) {
  if (path == "/") return Route::page;
  if (path == "/live.js") return Route::script;
  if (path == "/metrics") return Route::metrics;
  if (path == "/healthz") return Route::health;
  return path == "/readyz" ? Route::readiness : Route::none;
}

}  // namespace

Route route_of(std::string_view method, std::string_view path, bool only_known) {
  const bool is_get = method == "GET" || method == "HEAD";
  if (const auto page = page_of(path); page != Route::none) return is_get ? page : Route::none;
  if (path == "/favicon.ico") return Route::none;
  if (path.substr(0, receipts.size()) == receipts) return is_get ? Route::receipt : Route::none;
  if (method == "POST") {
    if (path == "/v1/chat/completions") return Route::chat;
    if (path == "/v1/messages") return Route::messages;
    if (path == "/v1/responses") return Route::responses;
  }
  if (path == "/v1/attachments") return method == "POST" ? Route::attachment : Route::none;
  if (method == "CONNECT" || method == "TRACE") return Route::none;
  return !only_known || is_known(path) ? Route::forward : Route::none;
}

}  // namespace ctxpack::serve
