#include "runs.hpp"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cases.hpp"
#include "command.hpp"
#include "ctxmgr/openai.hpp"

namespace ctxpack {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

namespace {

using nlohmann::json;

/// Throws nlohmann's exceptions for another form.
Ask ask_of(const json& found) {
  Ask ask{found.at("at").get<std::size_t>(),       found.at("form").get<std::string>(),
          found.at("question").get<std::string>(), found.value("parts", std::vector<std::string>()),
          found.value("within", std::size_t{0}),   found.value("paths", std::vector<std::string>()),
          found.at("before").get<std::int64_t>(),  found.at("age").get<std::int64_t>()};
  if (ask.parts.empty() && ask.paths.empty()) (void)found.at("parts").at(0);
  return ask;
}

/// The questions, rules and gold of a run; the error says which part has another form.
Result<void> read_wanted(const json& row, RecordedRun& run) {
  const auto is_of_run = [&](std::size_t at) { return at < run.messages.size(); };
  std::string where;
  std::string needs;
  try {
    for (const auto& found : row.value("asks", json::array())) {
      where = "/asks/" + std::to_string(run.asks.size());
      needs = "at (in the run), form, question, before, age, and parts or paths";
      run.asks.push_back(ask_of(found));
      if (!is_of_run(run.asks.back().at)) return fail(ErrorCode::invalid_argument, where + ": needs " + needs);
    }
    const auto rules = row.value("rules", json::object());
    for (const auto& [place, found] : rules.items()) {
      where = "/rules/" + place;
      needs = "an index in the run, and the words of the rule";
      run.rules.push_back({place, found.at(0).get<std::size_t>(), found.at(1).get<std::string>()});
      if (!is_of_run(run.rules.back().at)) return fail(ErrorCode::invalid_argument, where + ": needs " + needs);
    }
    where = "/gold";
    needs = "spans, each with a text";
    for (const auto& span : row.value("gold", json::object()).value("spans", json::array()))
      run.gold.push_back(span.at("text").get<std::string>());
  } catch (const json::exception&) {
    return fail(ErrorCode::invalid_argument, where + ": needs " + needs);
  }
  return {};
}

}  // namespace

/// Lines of a file; zlib reads one that is not compressed as it is.
struct RunReader::Input {
  explicit Input(gzFile opened) : file(opened) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() { gzclose(file); }

  /// False at the end of the input.
  [[nodiscard]] Result<bool> read_line(std::string& line) {
    line.clear();
    while (true) {
      if (const auto end = text.find('\n', position); end != std::string::npos) {
        line.append(text, position, end - position);
        position = end + 1;
        return true;
      }
      line.append(text, position);
      position = 0;
      std::array<char, 65'536> buffer;
      const int count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
      int problem = Z_OK;
      const char* words = gzerror(file, &problem);
      if (count < 0 || problem == Z_BUF_ERROR)
        return fail(ErrorCode::invalid_argument, problem == Z_ERRNO ? "cannot be read" : std::string(words));
      text.assign(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0) return !line.empty();
    }
  }

  gzFile file;
  std::string text;  ///< Read, and not given out from `position` on.
  std::size_t position = 0;
};

RunReader::RunReader(std::string name, std::unique_ptr<Input> input)
    : name_(std::move(name)), input_(std::move(input)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

Result<RunReader> RunReader::open(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) return tl::unexpected(unreadable(path));
  gzFile file = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) return tl::unexpected(unreadable(path));
  return RunReader(path == "-" ? "standard input" : path, std::make_unique<Input>(file));
}

Result<std::optional<RecordedRun>> RunReader::next() {
  std::string line;
  const auto error = [&](const std::string& problem) {
    return fail(ErrorCode::invalid_argument, name_ + ", line " + std::to_string(line_) + ": " + problem);
  };
  while (true) {
    ++line_;
    const auto more = input_->read_line(line);
    if (!more) return error(more.error().message);
    if (!*more) return std::optional<RecordedRun>();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto request = ctxmgr::parse_openai_request(line);
    if (!request) return error("a run is one line of JSON with id and messages: " + request.error().message);
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("id") || !row["id"].is_string()) return error("a run needs an id, a string");
    RecordedRun run{row["id"].get<std::string>(), std::move(request->context.conversation_history),
                    std::move(request->request.tools)};
    if (const auto read = read_wanted(row, run); !read) return error(read.error().message);
    return run;
  }
}

Result<Gold> read_gold(const std::string& path) {
  Gold gold;
  const auto rows = read_rows(path, "case_id");
  if (!rows) return tl::unexpected(rows.error());
  for (const auto& [id, row] : *rows) {
    RecordedRun run;
    if (const auto read = read_wanted(row, run); !read)
      return fail(ErrorCode::invalid_argument, path + ", " + id + ": " + read.error().message);
    gold[id] = std::move(run.gold);
  }
  return gold;
}

}  // namespace ctxpack
