#include "cases.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "command.hpp"

namespace ctxpack {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_hints = 6;

std::string speaker_of(const Json& message) {
  std::string name = text_or(message, "name");
  return name.empty() ? text_or(message, "role", "user") : name;
}

std::string render(const Json& message) {
  std::string text = speaker_of(message) + ": " + text_or(message, "content");
  if (const auto calls = message.find("tool_calls"); calls != message.end() && calls->is_array())
    for (const Json& call : *calls)
      text += "\n[call " + text_or(call, "name") + "(" + text_or(call, "arguments") + ")]";
  return text;
}

// Visible messages as turns. Where an assistant takes part, the last turns say what the question refers to; a transcript
// of other people's talk says nothing of the kind.
void add_history(const Json& history, std::int64_t cutoff, Question& question) {
  std::map<std::string, std::pair<std::string, std::string>> calls;
  std::vector<std::string> spoken;
  bool dialogue = false;
  std::size_t question_at = 0;  // A task that is pinned stands before everything.
  bool working = false;
  for (const Json& message : history.at("messages")) {
    if (message.value("seq", std::int64_t{0}) >= cutoff) break;
    ctxmgr::Artifact turn;
    turn.artifact_type = ctxmgr::ArtifactType::conversation;
    turn.content = render(message);
    const std::string role = text_or(message, "role", "user");
    turn.metadata["role"] = role;
    if (const auto day = day_of(message)) turn.timestamp = *day;
    dialogue = dialogue || role == "assistant";
    if (role == "user") question_at = question.artifacts.size();
    working = role == "tool";
    if (const auto made = message.find("tool_calls"); made != message.end() && made->is_array())
      for (const Json& call : *made) calls[text_or(call, "id")] = {text_or(call, "name"), text_or(call, "arguments")};
    if (const auto answered = calls.find(text_or(message, "tool_call_id")); role == "tool" && answered != calls.end()) {
      turn.metadata["tool_name"] = answered->second.first;
      turn.metadata["tool_arguments"] = answered->second.second;
    }
    if (role != "tool") spoken.push_back(turn.content);
    question.artifacts.push_back(std::move(turn));
    question.titles.emplace_back();
  }
  // A history that ends in a tool's result is in the middle of answering its last message of the user.
  if (working) question.request.question_at = question_at;
  if (!dialogue) return;
  for (std::size_t i = spoken.size(); i-- > 0 && question.request.hints.size() < most_hints;)
    question.request.hints.push_back(std::move(spoken[i]));
}

void add_document(const Json& row, Question& question) {
  ctxmgr::Artifact document;
  document.artifact_id = text_or(row, "artifact_id");
  document.content = text_or(row, "content");
  document.source = text_or(row, "source");
  const std::string title = text_or(row, "title");
  if (!title.empty()) document.metadata["title"] = title;
  question.artifacts.push_back(std::move(document));
  question.titles.push_back(title);
}

}  // namespace

ctxmgr::Result<Rows> read_rows(const std::string& path, const char* key) {
  Rows rows;
  if (path.empty()) return rows;
  std::ifstream file(path);
  if (file) (void)file.peek();  // A folder opens, and fails here.
  if (!file && !file.eof()) return tl::unexpected(unreadable(path));
  file.clear();
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains(key) || !row[key].is_string())
      return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument,
                          path + ", line " + std::to_string(number) + ": no " + key);
    rows.emplace(row[key].get<std::string>(), std::move(row));
  }
  return rows;
}

std::string text_or(const Json& row, const char* key, const std::string& otherwise) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

std::optional<ctxmgr::Timestamp> day_of(const Json& message) {
  std::istringstream text(text_or(message, "timestamp"));
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char marks[2] = {};
  if (!(text >> year >> marks[0] >> month >> marks[1] >> day) || marks[0] != '-' || marks[1] != '-') return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return {};
  return std::chrono::time_point_cast<ctxmgr::Timestamp::duration>(std::chrono::sys_days(date));
}

ctxmgr::Result<Cases> Cases::read(const CaseFiles& files) {
  auto cases = read_rows(files.cases, "case_id");
  if (!cases) return tl::unexpected(cases.error());
  if (cases->empty()) return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, files.cases + ": has no cases");
  auto histories = read_rows(files.histories, "history_id");
  if (!histories) return tl::unexpected(histories.error());
  auto artifacts = read_rows(files.artifacts, "artifact_id");
  if (!artifacts) return tl::unexpected(artifacts.error());
  Cases all;
  all.cases_ = std::move(*cases);
  all.histories_ = std::move(*histories);
  all.artifacts_ = std::move(*artifacts);
  return all;
}

CaseRows Cases::rows_of(const Json& row) const {
  CaseRows rows{&row, nullptr, {}};
  if (const auto history = histories_.find(text_or(row, "history_id")); history != histories_.end())
    rows.history = &history->second;
  if (const auto ids = row.find("artifact_ids"); ids != row.end() && ids->is_array())
    for (const Json& id : *ids)
      if (const auto found = artifacts_.find(id.get<std::string>()); found != artifacts_.end())
        rows.artifacts.push_back(&found->second);
  return rows;
}

ctxmgr::Result<void> Cases::for_each(const std::function<void(const CaseRows&)>& visit) const {
  for (const auto& [id, row] : cases_) {
    try {
      visit(rows_of(row));
    } catch (const Json::exception&) {
      return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument,
                          "case " + id + ": it or its history lacks a field, or has one of the wrong type");
    }
  }
  return {};
}

Question question_of(const CaseRows& rows) {
  Question question;
  question.request.query = text_or(*rows.row, "query");
  if (rows.history != nullptr) add_history(*rows.history, rows.row->value("cutoff_seq", std::int64_t{0}), question);
  for (const Json* row : rows.artifacts) add_document(*row, question);
  question.request.headers = question.titles;
  return question;
}

std::string context_of(const ctxmgr::Selection& selection, const Question& question) {
  std::string context;
  for (const ctxmgr::SelectedText& chosen : selection.chosen) {
    if (!context.empty()) context += question.request.separator;
    const std::string& title = question.titles[chosen.index];
    if (!title.empty()) context += title + "\n";
    context += chosen.text;
  }
  return context;
}

std::string prediction_of(const Json& row, std::int64_t budget, const std::string& context) {
  const Json prediction{{"source", text_or(row, "source")},
                        {"case_id", text_or(row, "case_id")},
                        {"budget", budget},
                        {"context", context}};
  return prediction.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::unique_ptr<ctxmgr::TokenCounter> make_chars4_counter() {
  return ctxmgr::make_token_counter([](std::string_view text) {
    std::int64_t chars = 0;
    for (const char c : text) chars += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
    return (chars + 3) / 4;
  });
}

}  // namespace ctxpack
