#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/wire.hpp"
#include "engine/build/list_memo.hpp"
#include "read_request.hpp"
#include "request_fields.hpp"

/// \file
/// What each form has for the one door.
namespace ctxmgr {

[[nodiscard]] Result<BuiltWire> build_chat(const ContextManager& manager, std::string_view body, WireOptions options,
                                           const CallOptions& call);
[[nodiscard]] Result<BuiltWire> build_messages(const ContextManager& manager, std::string_view body,
                                               WireOptions options, const CallOptions& call);
[[nodiscard]] Result<BuiltWire> build_items(const ContextManager& manager, std::string_view body, WireOptions options,
                                            const CallOptions& call);

[[nodiscard]] Result<WireRequest> read_chat_request(std::string_view body, WireOptions options,
                                                    const CallOptions& call);
[[nodiscard]] Result<WireRequest> read_messages_request(std::string_view body, WireOptions options,
                                                        const CallOptions& call);
[[nodiscard]] Result<WireRequest> read_items_request(std::string_view body, WireOptions options,
                                                     const CallOptions& call);

/// As the doors of one form have it.
[[nodiscard]] Result<WireBuild> with_text(Result<BuiltWire> built);

/// A request's text, with the name of the member that is its list.
struct WireText {
  engine::ListForm form = engine::ListForm::chat;
  std::string_view body{};
  std::string_view list{};
};

/// Reads a request with what the manager knows of its beginning, builds and writes. `read` as for `read_request()`. `ask` takes the
/// messages out of what was read and makes the build's request; `write` makes the text to send.
template <class Read, class Ask, class Write>
[[nodiscard]] Result<BuiltWire> fit(const ContextManager& manager, const WireText& text, Read read, const Ask& ask,
                                    const Write& write, const CallOptions& call) {
  auto in = read_request(manager, text.form, text.body, text.list, read);
  if (!in) return tl::unexpected(std::move(in.error()));
  Result<WireRequest> asked = ask(*in);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  auto built = build_to_send(manager, asked->context, asked->request, call, in->list.known);
  Result<BuiltWire> sent = tl::unexpected(built ? Error{} : built.error());
  if (built) {
    note_mended_text(text.body, built->metadata);
    sent = write(*in, *asked, *built).map([&](std::string body) {
      return BuiltWire{std::move(body), std::move(built->metadata), std::move(built->thread_state)};
    });
  }
  in->list.messages = std::move(asked->context.conversation_history);
  lists_of(manager).put(std::move(in->list), text.body, text.list);
  return sent;
}

}  // namespace ctxmgr
