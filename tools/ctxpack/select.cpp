#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace ctxpack {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_hints = 6;

// Characters divided by four, rounded up: what the baselines of selection measurements are counted with.
std::unique_ptr<ctxmgr::TokenCounter> make_chars4_counter() {
  return ctxmgr::make_token_counter([](std::string_view text) {
    std::int64_t chars = 0;
    for (const char c : text) chars += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
    return (chars + 3) / 4;
  });
}

struct SelectOptions {
  std::string cases_path;
  std::string histories_path;
  std::string artifacts_path;
  std::string output_path;
  std::string counter = "approximate";
  std::vector<std::int64_t> budgets;
};

/// Rows of a JSON Lines file by the value of `key`; none where there is no path.
ctxmgr::Result<std::map<std::string, Json>> read_rows(const std::string& path, const char* key) {
  std::map<std::string, Json> rows;
  if (path.empty()) return rows;
  std::ifstream file(path);
  if (!file) return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, "cannot read " + path);
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

std::string text_or(const Json& row, const char* key, const std::string& otherwise = {}) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

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

/// What one case chooses from and for.
struct Question {
  std::vector<ctxmgr::Artifact> artifacts;
  std::vector<std::string> titles;
  ctxmgr::SelectionRequest request;
};

// Visible messages as turns. Where an assistant takes part, the last turns say what the question refers to; a transcript
// of other people's talk says nothing of the kind.
void add_history(const Json& history, std::int64_t cutoff, Question& question) {
  std::map<std::string, std::pair<std::string, std::string>> calls;
  std::vector<std::string> spoken;
  bool dialogue = false;
  for (const Json& message : history.at("messages")) {
    if (message.value("seq", std::int64_t{0}) >= cutoff) break;
    ctxmgr::Artifact turn;
    turn.artifact_type = ctxmgr::ArtifactType::conversation;
    turn.content = render(message);
    const std::string role = text_or(message, "role", "user");
    turn.metadata["role"] = role;
    dialogue = dialogue || role == "assistant";
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

using Rows = std::map<std::string, Json>;

Question question_of(const Json& row, const Rows& histories, const Rows& artifacts) {
  Question question;
  question.request.query = text_or(row, "query");
  if (const auto history = histories.find(text_or(row, "history_id")); history != histories.end())
    add_history(history->second, row.value("cutoff_seq", std::int64_t{0}), question);
  if (const auto ids = row.find("artifact_ids"); ids != row.end() && ids->is_array())
    for (const Json& id : *ids)
      if (const auto found = artifacts.find(id.get<std::string>()); found != artifacts.end())
        add_document(found->second, question);
  question.request.headers = question.titles;
  return question;
}

ctxmgr::Result<Question> checked_question(const std::string& id, const Json& row, const Rows& histories,
                                          const Rows& artifacts) {
  try {
    return question_of(row, histories, artifacts);
  } catch (const Json::exception&) {
    return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument,
                        "case " + id + ": it or its history lacks a field, or has one of the wrong type");
  }
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

ctxmgr::Result<void> run(const SelectOptions& options) {
  const auto histories = read_rows(options.histories_path, "history_id");
  if (!histories) return tl::unexpected(histories.error());
  const auto artifacts = read_rows(options.artifacts_path, "artifact_id");
  if (!artifacts) return tl::unexpected(artifacts.error());
  const auto cases = read_rows(options.cases_path, "case_id");
  if (!cases) return tl::unexpected(cases.error());
  const auto counter = options.counter == "chars4" ? make_chars4_counter() : ctxmgr::make_approximate_token_counter();
  const ctxmgr::Retriever retriever;
  std::string output;
  for (const auto& [id, row] : *cases) {
    auto question = checked_question(id, row, *histories, *artifacts);
    if (!question) return tl::unexpected(question.error());
    for (const std::int64_t budget : options.budgets) {
      question->request.budget_tokens = budget;
      const ctxmgr::Selection selection = retriever.select(question->artifacts, question->request, *counter);
      const Json prediction{{"source", text_or(row, "source")},
                            {"case_id", id},
                            {"budget", budget},
                            {"context", context_of(selection, *question)}};
      output += prediction.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
  }
  return write_output(options.output_path, output);
}

}  // namespace

void add_select(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SelectOptions>();
  CLI::App* command =
      app.add_subcommand("select", "Choose context for many questions without a model: JSON Lines in and out.");
  command->add_option("cases", options->cases_path, "Cases: case_id, query, history_id, cutoff_seq, artifact_ids")
      ->required();
  command->add_option("--histories", options->histories_path, "Histories: history_id, messages");
  command->add_option("--artifacts", options->artifacts_path, "Documents: artifact_id, title, content");
  command->add_option("--budget", options->budgets, "Tokens for the context of each case; several: one result for each")
      ->required()
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command->add_option("--counter", options->counter, "approximate, or chars4 (characters divided by four)")
      ->check(CLI::IsMember({"approximate", "chars4"}));
  command->add_option("-o,--output", options->output_path, "File to write; standard output without it");
  command->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? success : report(done.error());
  });
}

}  // namespace ctxpack
