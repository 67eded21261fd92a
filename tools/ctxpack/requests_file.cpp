#include "requests_file.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "command.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Result;

namespace {

tl::unexpected<ctxmgr::Error> bad_line(const std::string& path, std::size_t number, const std::string& problem) {
  return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, path + ", line " + std::to_string(number) + ": " + problem);
}

/// A request's run and step; none if a line is no request.
std::optional<std::pair<std::string, std::size_t>> key_of(const nlohmann::json& row) {
  if (!row.is_object() || !row.contains("run") || !row.contains("step")) return std::nullopt;
  if (!row["run"].is_string() || !row["step"].is_number_unsigned()) return std::nullopt;
  if (!row.contains("messages") && !row.contains("error")) return std::nullopt;
  return std::pair{row["run"].get<std::string>(), row["step"].get<std::size_t>()};
}

}  // namespace

Result<RequestsFile> RequestsFile::open(const std::string& path) {
  RequestsFile requests;
  requests.path_ = path;
  requests.name_ = std::filesystem::path(path).stem().string();
  requests.file_.open(path, std::ios::binary);
  std::string text;
  if (!requests.file_ || (requests.file_.peek() == std::ifstream::traits_type::eof() && requests.file_.bad()))
    return tl::unexpected(unreadable(path));
  if (!requests.file_) return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, path + ": is empty");
  std::streamoff position = 0;
  for (std::size_t number = 1; std::getline(requests.file_, text); ++number) {
    const Line line{position, number};
    position += static_cast<std::streamoff>(text.size()) + 1;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto key = key_of(nlohmann::json::parse(text, nullptr, false));
    if (!key) return bad_line(path, number, "needs run, step, and messages or error");
    if (!requests.lines_[key->first].emplace(key->second, line).second)
      return bad_line(path, number, "a second request for the same step");
  }
  requests.file_.clear();
  return requests;
}

Result<void> RequestsFile::check(const RecordedRun& run) const {
  const auto found = lines_.find(run.id);
  if (found == lines_.end()) return {};
  for (const auto& [step, line] : found->second)
    if (step == 0 || step >= run.messages.size() || run.messages[step].role != ctxmgr::Role::assistant)
      return bad_line(path_, line.number, "the run has no assistant message with this index");
  return {};
}

Result<std::optional<std::vector<ConversationMessage>>> RequestsFile::at(const std::string& run, std::size_t step) {
  using Found = std::optional<std::vector<ConversationMessage>>;
  const auto steps = lines_.find(run);
  if (steps == lines_.end()) return Found();
  const auto line = steps->second.find(step);
  if (line == steps->second.end()) return Found();
  std::string text;
  file_.seekg(line->second.position);
  std::getline(file_, text);
  file_.clear();
  const auto row = nlohmann::json::parse(text, nullptr, false);
  if (!row.is_object()) return bad_line(path_, line->second.number, "was changed while it was read");
  if (!row.contains("messages")) return Found();
  auto messages = ctxmgr::from_json<std::vector<ConversationMessage>>(row["messages"].dump());
  if (!messages) return bad_line(path_, line->second.number, messages.error().message);
  return Found(std::move(*messages));
}

}  // namespace ctxpack
