// Documents of every format: what is written shorter says the same (equal as JSON, else equal but for blanks between JSON's
// tokens, blank lines, and lines that are counted instead of repeated), and builds with them keep to their budgets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "core/json/json.hpp"
#include "core/utf8.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "engine/structure/dense_view.hpp"

namespace {

using namespace ctxmgr;

constexpr ContentFormat formats[] = {ContentFormat::automatic, ContentFormat::text, ContentFormat::markdown,
                                     ContentFormat::json,      ContentFormat::code, ContentFormat::log,
                                     ContentFormat::diff,      ContentFormat::table};

void demand(bool holds) {
  if (!holds) std::abort();
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
               [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return kept;
}

void check_dense(const std::string& text, ContentFormat format) {
  const auto dense = engine::dense_view(text, format);
  demand(dense.size() <= text.size());
  if (const auto json = parse_json(text); json && format == ContentFormat::json) {
    const auto same = parse_json(dense);
    demand(same && *same == *json);
  }
  demand(without_blanks(dense) == without_blanks(text));
}

}  // namespace

// One byte for the format, one for the budget, then the document.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  const std::string text = utf8::repair({reinterpret_cast<const char*>(bytes) + 2, size - 2});
  const auto format = formats[bytes[0] % std::size(formats)];
  check_dense(text, format);
  Context context;
  context.artifacts.push_back(make_document("document", text));
  context.artifacts[0].content_format = format;
  context.conversation_history.push_back({Role::user, "what does it say of the first word?"});
  ContextManagerOptions options;
  options.clock = std::make_shared<testing::ManualClock>();
  BuildRequest request;
  request.planning.mode = PlannerMode::none;
  request.budget.max_input_tokens = 64 + 16 * bytes[1];
  const auto built = ContextManager(options).build(context, request);
  if (!built) {
    demand(built.error().code == ErrorCode::budget_exceeded || built.error().code == ErrorCode::invalid_argument);
    return 0;
  }
  demand(built->metadata.input_tokens_used <= *request.budget.max_input_tokens);
  return 0;
}
