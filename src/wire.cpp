#include "ctxmgr/wire.hpp"

#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "wire_forms.hpp"

namespace ctxmgr {

Result<BuiltWire> build_wire(const ContextManager& manager, WireForm form, std::string_view body, WireOptions options,
                             const CallOptions& call) {
  switch (form) {
    case WireForm::anthropic: return build_messages(manager, body, std::move(options), call);
    case WireForm::responses: return build_items(manager, body, std::move(options), call);
    case WireForm::openai: break;
  }
  return build_chat(manager, body, std::move(options), call);
}

Result<WireRequest> read_wire(WireForm form, std::string_view body, WireOptions options, const CallOptions& call) {
  switch (form) {
    case WireForm::anthropic: return read_messages_request(body, std::move(options), call);
    case WireForm::responses: return read_items_request(body, std::move(options), call);
    case WireForm::openai: break;
  }
  return read_chat_request(body, std::move(options), call);
}

Result<PlanPreview> plan_wire(const ContextManager& manager, WireForm form, std::string_view body, WireOptions options,
                              const CallOptions& call) {
  const auto in = read_wire(form, body, std::move(options), call);
  if (!in) return tl::unexpected(in.error());
  return manager.plan(in->context, in->request, call);
}

Result<WireBuild> with_text(Result<BuiltWire> built) {
  return std::move(built).map([](BuiltWire fitted) {
    return WireBuild{std::move(fitted.body), to_json(fitted.metadata), std::move(fitted.thread_state)};
  });
}

}  // namespace ctxmgr
