#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
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

/// What one case chooses from and for.
struct Question {
  std::vector<ctxmgr::Artifact> artifacts;
  std::vector<std::string> titles;
  ctxmgr::SelectionRequest request;
};

class Cases {
 public:
  [[nodiscard]] static ctxmgr::Result<Cases> read(const CaseFiles& files);

  /// Calls `visit(row, question)` for every case in the order of their ids, until it fails.
  template <class Visit>
  [[nodiscard]] ctxmgr::Result<void> for_each(Visit visit) const {
    for (const auto& [id, row] : cases_) {
      auto question = question_of(id, row);
      if (!question) return tl::unexpected(question.error());
      visit(row, *question);
    }
    return {};
  }

 private:
  [[nodiscard]] ctxmgr::Result<Question> question_of(const std::string& id, const nlohmann::json& row) const;

  Rows cases_;
  Rows histories_;
  Rows artifacts_;
};

/// What a selection puts into the context, in order.
[[nodiscard]] std::string context_of(const ctxmgr::Selection& selection, const Question& question);

/// One line of predictions, line break included.
[[nodiscard]] std::string prediction_of(const nlohmann::json& row, std::int64_t budget, const Question& question,
                                        const ctxmgr::Selection& selection);

/// Characters divided by four, rounded up: what the baselines of selection measurements are counted with.
[[nodiscard]] std::unique_ptr<ctxmgr::TokenCounter> make_chars4_counter();

}  // namespace ctxpack
