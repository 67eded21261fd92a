#include <utility>

#include "ctxmgr/prompts/prompt_composer.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t values_on_page = 100;

bool is_kept_artifact(std::string_view key) { return key.substr(0, artifact_key_prefix.size()) == artifact_key_prefix; }

}  // namespace

Result<std::vector<PromptValue>> session_values(const ContextStore& store, const CallOptions& call, std::size_t most) {
  std::vector<PromptValue> values;
  std::string after;
  for (;;) {
    const auto page = store.list({}, after, values_on_page, call);
    if (!page) return tl::unexpected(page.error());
    for (const KeyInfo& info : *page) {
      if (is_kept_artifact(info.key)) continue;
      auto entry = store.get(info.key, call);
      if (!entry) return tl::unexpected(std::move(entry.error()));
      if (!*entry) continue;  // Expired or erased since it was listed.
      if (values.size() == most) return fail(ErrorCode::limit_exceeded, "the session has too many values");
      values.push_back({info.key, std::move((*entry)->value), ContentFormat::text, (*entry)->trust});
    }
    if (page->size() < values_on_page) return values;
    after = page->back().key;
  }
}

}  // namespace ctxmgr
