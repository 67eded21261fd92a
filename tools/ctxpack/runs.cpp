#include "runs.hpp"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "ctxmgr/openai.hpp"

namespace ctxpack {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

namespace {

/// The questions spliced into a run; the error says which is none.
Result<std::vector<Ask>> asks_of(const nlohmann::json& row, std::size_t messages) {
  std::vector<Ask> asks;
  if (!row.contains("asks")) return asks;
  if (!row["asks"].is_array()) return fail(ErrorCode::invalid_argument, "/asks: not an array");
  for (const auto& found : row["asks"]) {
    try {
      Ask ask{found.at("at").get<std::size_t>(),       found.at("form").get<std::string>(),
              found.at("question").get<std::string>(), found.value("parts", std::vector<std::string>()),
              found.value("within", std::size_t{0}),   found.value("paths", std::vector<std::string>()),
              found.at("before").get<std::int64_t>(),  found.at("age").get<std::int64_t>()};
      if (ask.at < messages && !(ask.parts.empty() && ask.paths.empty())) {
        asks.push_back(std::move(ask));
        continue;
      }
    } catch (const nlohmann::json::exception&) {
      // Said below.
    }
    return fail(ErrorCode::invalid_argument,
                "/asks/" + std::to_string(asks.size()) +
                    ": needs at (in the run), form, question, before, age, and parts or paths");
  }
  return asks;
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
  gzFile file = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) return fail(ErrorCode::invalid_argument, path + ": cannot be read");
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
    auto& messages = request->context.conversation_history;
    auto asks = asks_of(row, messages.size());
    if (!asks) return error(asks.error().message);
    return RecordedRun{row["id"].get<std::string>(), std::move(messages), std::move(request->request.tools),
                       std::move(*asks)};
  }
}

}  // namespace ctxpack
