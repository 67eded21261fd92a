#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/retriever.hpp"

/// \file
/// Recorded questions with their histories and documents, as JSON Lines: what `select` reads and writes.
namespace ctxpack {

/// Where they are; an empty path has no rows.
struct CaseFiles {
  std::string cases{};
  std::string histories{};
  std::string artifacts{};
};

using Rows = std::map<std::string, nlohmann::json>;

/// Rows of a JSON Lines file by the value of `key`; none where there is no path.
[[nodiscard]] ctxmgr::Result<Rows> read_rows(const std::string& path, const char* key);

/// A field of a row; `otherwise` where it is missing or no string.
[[nodiscard]] std::string text_or(const nlohmann::json& row, const char* key, const std::string& otherwise = {});

/// When a recorded message was said, by the day alone; nothing where its "timestamp" begins with no date.
[[nodiscard]] std::optional<ctxmgr::Timestamp> day_of(const nlohmann::json& message);

/// What one case chooses from and for.
struct Question {
  std::vector<ctxmgr::Artifact> artifacts;
  std::vector<std::string> titles;
  ctxmgr::SelectionRequest request;
};

/// A case with its history, null where it has none, and its documents, as they were recorded.
struct CaseRows {
  const nlohmann::json* row = nullptr;
  const nlohmann::json* history = nullptr;
  std::vector<const nlohmann::json*> artifacts;
};

class Cases {
 public:
  [[nodiscard]] static ctxmgr::Result<Cases> read(const CaseFiles& files);

  /// Calls `visit(rows)` for every case in the order of their ids. `invalid_argument` where a row lacks a field or has
  /// one of the wrong type.
  [[nodiscard]] ctxmgr::Result<void> for_each(const std::function<void(const CaseRows&)>& visit) const;

 private:
  [[nodiscard]] CaseRows rows_of(const nlohmann::json& row) const;

  Rows cases_;
  Rows histories_;
  Rows artifacts_;
};

/// What `select` chooses from and for. Throws nlohmann's exceptions for rows of another form.
[[nodiscard]] Question question_of(const CaseRows& rows);

/// What was selected, in the order of the question's texts.
[[nodiscard]] std::string context_of(const ctxmgr::Selection& selection, const Question& question);

/// One line of predictions, line break included.
[[nodiscard]] std::string prediction_of(const nlohmann::json& row, std::int64_t budget, const std::string& context);

/// Characters divided by four, rounded up: what the baselines of selection measurements are counted with.
[[nodiscard]] std::unique_ptr<ctxmgr::TokenCounter> make_chars4_counter();

}  // namespace ctxpack
