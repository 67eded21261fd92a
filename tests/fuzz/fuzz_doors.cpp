// The three text doors with any body, any thread state and any replies of the models: a body within the budget that the door
// reads again, or a typed error, never a crash, and the same for the request after it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"
#include "ctxmgr/testing/manual_clock.hpp"

namespace {

using namespace ctxmgr;

void demand(bool holds) {
  if (!holds) std::abort();
}

/// Says to every call what the input has for it.
class AnyReply final : public LlmClient {
 public:
  explicit AnyReply(std::string text) : text_(std::move(text)) {}
  Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override {
    if (text_.empty()) return fail(ErrorCode::unavailable, "down");
    LlmResponse response;
    response.message = {Role::assistant, text_};
    return response;
  }

 private:
  std::string text_;
};

struct Door {
  Result<WireBuild> (*build)(const ContextManager&, std::string_view, const BuildRequest&);
  bool (*reads)(std::string_view);
};

constexpr Door doors[] = {
    {[](const ContextManager& manager, std::string_view body, const BuildRequest& request) {
       return build_openai(manager, body, request);
     },
     [](std::string_view body) { return parse_openai_request(body).has_value(); }},
    {[](const ContextManager& manager, std::string_view body, const BuildRequest& request) {
       return build_anthropic(manager, body, request, {}, {}, CacheControl::place);
     },
     [](std::string_view body) { return parse_anthropic_request(body).has_value(); }},
    {[](const ContextManager& manager, std::string_view body, const BuildRequest& request) {
       return build_responses(manager, body, request);
     },
     [](std::string_view body) { return parse_responses_request(body).has_value(); }},
};

std::string text_until_line(std::string_view& rest, std::string_view mark) {
  const auto end = rest.find(mark);
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + mark.size());
  return text;
}

}  // namespace

// Four parts with lines of "----" between them: numbers (door and planning, budget), body, thread state, reply.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  const auto numbers = text_until_line(rest, "\n----\n");
  const auto body = text_until_line(rest, "\n----\n");
  const auto state = text_until_line(rest, "\n----\n");
  const auto& door = doors[numbers.empty() ? 0 : static_cast<unsigned char>(numbers[0]) / 2 % std::size(doors)];
  ContextManagerOptions options;
  options.clock = std::make_shared<testing::ManualClock>();
  options.client = std::make_shared<AnyReply>(std::string(rest));
  const ContextManager manager(options);
  BuildRequest request;
  request.planning.mode = !numbers.empty() && (numbers[0] & 1) != 0 ? PlannerMode::llm : PlannerMode::automatic;
  request.budget.max_input_tokens = numbers.size() > 1 ? 16 * static_cast<unsigned char>(numbers[1]) : 2'000;
  request.thread_state.opaque = state;
  for (int turn = 0; turn < 2; ++turn) {
    const auto built = door.build(manager, body, request);
    if (!built) {
      demand(built.error().code != ErrorCode::internal);
      return 0;
    }
    const auto metadata = from_json<ContextUtilizationMetadata>(built->metadata);
    demand(metadata.has_value());
    demand(metadata->input_tokens_used <= *request.budget.max_input_tokens);
    demand(door.reads(built->body));
    request.thread_state = built->thread_state;
  }
  return 0;
}
