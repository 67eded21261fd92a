#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// Puts a receipt into an answer that is one JSON object, as its last field, while the answer passes: only the end of the
/// answer is held back, however long it is. The field is `metadata`, or `ctxmgr_metadata` where the answer has a `metadata` of
/// its own, as those of Responses have. An answer that is no object passes as it is.
class ReceiptField {
 public:
  /// What may go on of what has come.
  [[nodiscard]] std::string pass(const std::string& bytes);

  /// The rest of the answer, with this receipt (a JSON text) in it.
  [[nodiscard]] std::string end(const std::string& receipt);

 private:
  void find_usual_name(std::string_view bytes);

  std::string held_{};  ///< From a brace on that may be the last one.
  char first_ = 0;      ///< Of the answer; 0: nothing has come.
  char before_ = 0;     ///< The last character before `held_` that is no blank.

  bool has_usual_name_ = false;  ///< Of a member of the answer itself.
  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;  ///< The next character of the string.
  std::string string_{};     ///< The newest of the answer's own strings, as far as it can be a name.
};

}  // namespace ctxpack::serve
