// liboai: `liboai::Conversation`, which is JSON inside. Fit a copy for each call, and keep the conversation. Functions are sent
// beside the messages. Include liboai.h first.
#pragma once
#include <ctxmgr/openai.hpp>
#include <utility>

inline ctxmgr::Result<liboai::Conversation> fit(const ctxmgr::ContextManager& manager,
                                                const liboai::Conversation& conversation, ctxmgr::BuildRequest request,
                                                ctxmgr::ThreadState& state) {
  const auto exported = nlohmann::json::parse(conversation.Export(), nullptr, false);
  for (const auto& function : exported.value("functions", nlohmann::json::array()))
    request.tools.push_back({function.value("name", ""),
                             function.value("description", ""),
                             function.value("parameters", nlohmann::json()).dump(),
                             {}});
  request.thread_state = state;
  auto built = ctxmgr::build_openai(manager, conversation.Export(), std::move(request));
  if (!built) return tl::unexpected(built.error());
  liboai::Conversation sent;
  if (!sent.Import(built->body)) return ctxmgr::fail(ctxmgr::ErrorCode::internal, "liboai refused its own form");
  state = std::move(built->thread_state);
  return sent;
}
