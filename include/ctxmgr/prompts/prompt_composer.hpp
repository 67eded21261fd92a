#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/prompts/prompt_template.hpp"
#include "ctxmgr/session/context_store.hpp"

namespace ctxmgr {

/// Where a value goes. A host vouches for the values that it puts into the system prompt.
enum class Injection {
  by_policy,  ///< Size and trust decide.
  always,     ///< Into the system prompt, whatever its size and label.
  never,      ///< The model fetches it, whatever its size and label.
};

[[nodiscard]] constexpr std::string_view to_string(Injection value) {
  return value == Injection::always ? "always" : value == Injection::never ? "never" : "by_policy";
}

/// One value of a session's state, as a prompt may show it.
struct PromptValue {
  std::string key{};
  std::string value{};
  ContentFormat format = ContentFormat::text;  ///< json: the template sees lists, objects and numbers.
  Trust trust = Trust::untrusted;
  Injection injection = Injection::by_policy;
};

struct PromptComposerOptions {
  std::size_t max_value_bytes = 2'048;  ///< Larger values are fetched. Raise it for fewer calls, at more tokens a turn.
  /// When and how to use the context tools. Empty: `ContextTools::instructions()`.
  std::string instructions{};
  TemplateOptions templates{};  ///< `strict_undefined` is always set here.
};

struct ComposedPrompt {
  std::string system{};  ///< Holds trusted values only, and those that the host pinned.
  /// For a message of the user role: small untrusted values, fenced, and the keys of values that have to be fetched and are not
  /// trusted. Empty where there are none.
  std::string data{};
  std::vector<std::string> fetched_keys{};  ///< Keys that the model has to fetch, in the order of the values.
};

/// Hybrid injection. Small trusted values are rendered into the system prompt. Large ones become a line that tells the model
/// how to fetch them. Untrusted ones never enter the system prompt. In the template each key is a variable, and
///     {{ context_keys }}          lists the trusted keys that have to be fetched,
///     {{ context_instructions }}  says when and how to use the context tools; where a template does not name it, the
///                                 text is appended as soon as there is anything to fetch.
/// Composing is a function of its arguments: equal values give equal bytes, so that a provider's prompt cache keeps
/// hitting.
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API PromptComposer {
 public:
  /// Errors are those of PromptTemplate::parse.
  [[nodiscard]] static Result<PromptComposer> make(std::string_view template_source,
                                                   const PromptComposerOptions& options = {});

  /// `invalid_argument` where a key occurs twice or is reserved, or a json value is malformed. The same where the template
  /// uses a key that no value has, or decides by a value that it is not given (untrusted, or too large).
  [[nodiscard]] Result<ComposedPrompt> compose(const std::vector<PromptValue>& values) const;

 private:
  struct Impl;
  explicit PromptComposer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The values of a session as a PromptComposer takes them, in byte order of the keys, with the trust labels that they
/// are stored under. All are texts and go by policy: change that in the result. Kept artifacts are left out: builds list
/// those by themselves. Values that an agent's handle may not read are not there. `limit_exceeded` for more than `most` values. One
/// read a key: meant for once a session, or when a value has changed.
[[nodiscard]] CTXMGR_API Result<std::vector<PromptValue>> session_values(const ContextStore& store,
                                                                         const CallOptions& call = {},
                                                                         std::size_t most = 1'000);

}  // namespace ctxmgr
