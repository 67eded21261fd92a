#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Whose environment a template was written for.
enum class TemplateDialect {
  jinja,  ///< jinja2's `Environment(keep_trailing_newline=True)`.
  chat,  ///< The chat templates of model cards, as Hugging Face's transformers renders them: trim_blocks, lstrip_blocks,
         ///< `break` and `continue`, immutable values, and a tojson that does not escape HTML.
};

[[nodiscard]] constexpr std::string_view to_string(TemplateDialect value) {
  return value == TemplateDialect::chat ? "chat" : "jinja";
}

struct TemplateOptions {
  /// Any use of a variable without a value is an error, but for `is defined` and `default`: jinja2's StrictUndefined. Else
  /// it is rendered as nothing, false in conditions, and an error where its attributes are used: jinja2's default.
  bool strict_undefined = false;

  TemplateDialect dialect = TemplateDialect::jinja;
  /// The mark of the filter `data`'s fences. Empty, or where a text contains it: derived from that text. Set it to have one
  /// mark in a whole prompt. Letters, digits, '-' and '_'.
  std::string fence_nonce{};
  std::size_t max_source_bytes = std::size_t{256} << 10;
  std::size_t max_output_bytes = std::size_t{16} << 20;
  std::size_t max_memory_bytes = std::size_t{64}
                                 << 20;  ///< Most bytes of values that a rendering makes, data included.
  std::size_t max_steps = 1'000'000;     ///< Nodes evaluated, items visited, 64 bytes of text handled.
  std::size_t max_depth = 64;            ///< Most levels of blocks and expressions, and of calls.
};

/// A prompt written in Jinja2, without file access, imports or any host object: compiled once, rendered many times.
/// What it accepts it renders byte for byte as Python's jinja2 3.1 does; the rest is an error. Values are data: nothing
/// in them is ever taken for template text. `docs/prompt-templates.md` lists what is supported.
///
///     auto prompt = PromptTemplate::parse("Hello {{ user.name }}!");
///     if (prompt) auto text = prompt->render_json(R"({"user": {"name": "Ann"}})");
///
/// Errors: `invalid_argument` as "line 3, column 14: ...", both from 1, columns in code points; `limit_exceeded` with the
/// same where a limit is passed. Uses at most about 100 KiB of the thread's stack.
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API PromptTemplate {
 public:
  [[nodiscard]] static Result<PromptTemplate> parse(std::string_view source, const TemplateOptions& options = {});

  /// The variables are the members of a JSON object. `invalid_argument` with a JSON pointer, or line and column of
  /// malformed text, where it is none; that message begins with "data: ".
  [[nodiscard]] Result<std::string> render_json(std::string_view values_json) const;

  [[nodiscard]] Result<std::string> render(const std::map<std::string, std::string>& values) const;

  /// Whether the template reads a variable of that name from its data somewhere; comments and texts do not count.
  [[nodiscard]] bool reads(std::string_view name) const;

  /// Which of these variables the template decides by: in a condition, a comparison, a test or a loop, also by way of a variable
  /// that was set from one. Asking whether one is defined does not count.
  [[nodiscard]] std::set<std::string> decides_by(const std::set<std::string>& names) const;

 private:
  struct Impl;
  explicit PromptTemplate(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ctxmgr
