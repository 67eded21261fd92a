#pragma once
#include <string>

namespace ctxpack::serve {

/// Puts a receipt into an answer that is one JSON object, as its last field, while the answer passes: only the end of the
/// answer is held back, however long it is. An answer that is no object passes as it is.
class ReceiptField {
 public:
  /// What may go on of what has come.
  [[nodiscard]] std::string pass(const std::string& bytes);

  /// The rest of the answer, with this receipt (a JSON text) in it.
  [[nodiscard]] std::string end(const std::string& receipt);

 private:
  std::string held_{};  ///< From a brace on that may be the last one.
  char first_ = 0;      ///< Of the answer; 0: nothing has come.
  char before_ = 0;     ///< The last character before `held_` that is no blank.
};

}  // namespace ctxpack::serve
