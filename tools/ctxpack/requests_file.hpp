#pragma once
#include <cstddef>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "runs.hpp"

/// \file
/// Requests for the steps of recorded runs, {"run", "step", "messages"} a line: what `simulate` writes, or a policy of others.
namespace ctxpack {

class RequestsFile {
 public:
  /// Notes where each request is; reads them only when they are asked for. Errors name the file and the line.
  [[nodiscard]] static ctxmgr::Result<RequestsFile> open(const std::string& path);

  /// The file's name without folder and ending.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool has(const std::string& run) const { return lines_.find(run) != lines_.end(); }

  /// An error where a request is of no step of this run.
  [[nodiscard]] ctxmgr::Result<void> check(const RecordedRun& run) const;

  /// None where there is no request, or an "error" in its place.
  [[nodiscard]] ctxmgr::Result<std::optional<std::vector<ctxmgr::ConversationMessage>>> at(const std::string& run,
                                                                                           std::size_t step);

 private:
  struct Line {
    std::streamoff position = 0;
    std::size_t number = 0;
  };

  std::string path_;
  std::string name_;
  std::ifstream file_;
  std::map<std::string, std::map<std::size_t, Line>> lines_;
};

}  // namespace ctxpack
