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
    if (!request) return error(request.error().message);
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("id") || !row["id"].is_string()) return error("a run needs an id, a string");
    return RecordedRun{row["id"].get<std::string>(), std::move(request->context.conversation_history),
                       std::move(request->request.tools)};
  }
}

}  // namespace ctxpack
