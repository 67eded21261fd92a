// Any host's messages through a build: say how to read one and how to write one, and `fit()` does the rest. Copy it.
//
//     template <> struct HostMessage<mine::Msg> {
//       static ctxmgr::ConversationMessage read(const mine::Msg& message);
//       static void write(const ctxmgr::ConversationMessage& built, mine::Msg& message);
//     };
//     auto sent = fit(manager, thread, request, state);   // Result<std::vector<mine::Msg>>
//
// Definitions of tools are sent beside the messages: put them into `BuildRequest::tools`, so that they are counted.
// A message that goes out as it came in is the host's own object, so that fields that ctxmgr knows nothing of are kept.
#pragma once
#include <ctxmgr/ctxmgr.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// What an adapter says of its host's messages. `write` gets the message that was changed, or a new one.
template <class Message>
struct HostMessage;

#if defined(__cpp_concepts)
template <class Message>
concept Adapted = std::is_default_constructible_v<Message> && std::is_copy_constructible_v<Message> &&
    requires(const Message& read, Message& written, const ctxmgr::ConversationMessage& built) {
  { HostMessage<Message>::read(read) } -> std::same_as<ctxmgr::ConversationMessage>;
  HostMessage<Message>::write(built, written);
};
#define CTXMGR_ADAPTED Adapted
#else
#define CTXMGR_ADAPTED class
#endif

/// Roles by their names on the wire; what is none of them speaks as the user.
inline ctxmgr::Role role_named(std::string_view name) {
  using ctxmgr::Role;
  for (const Role role : {Role::system, Role::developer, Role::assistant, Role::tool})
    if (ctxmgr::to_string(role) == name) return role;
  return Role::user;
}

/// The messages to send. `state` is kept with the thread; `receipt` may be null.
template <CTXMGR_ADAPTED Message>
ctxmgr::Result<std::vector<Message>> fit(const ctxmgr::ContextManager& manager, const std::vector<Message>& thread,
                                         ctxmgr::BuildRequest request, ctxmgr::ThreadState& state,
                                         ctxmgr::ContextUtilizationMetadata* receipt = nullptr) {
  ctxmgr::Context context;
  for (const Message& message : thread) {
    context.conversation_history.push_back(HostMessage<Message>::read(message));
    context.conversation_history.back().sequence_number =
        static_cast<std::int64_t>(context.conversation_history.size());
  }
  request.thread_state = state;
  auto built = manager.build(context, request);
  if (!built) return tl::unexpected(built.error());
  std::vector<Message> sent;
  for (const auto& message : built->messages) {
    const auto place = static_cast<std::size_t>(message.sequence_number.value_or(0));
    const bool is_known = place > 0 && place <= thread.size();
    sent.push_back(is_known ? thread[place - 1] : Message());
    const auto* const read = is_known ? &context.conversation_history[place - 1] : nullptr;
    if (read == nullptr || ctxmgr::to_json(*read) != ctxmgr::to_json(message))
      HostMessage<Message>::write(message, sent.back());
  }
  state = std::move(built->thread_state);
  if (receipt != nullptr) *receipt = std::move(built->metadata);
  return sent;
}
