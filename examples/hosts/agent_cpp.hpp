// agent.cpp: a callback that fits the thread before each call of the model. The agent's vector then holds what is sent; the
// whole thread stays here. Include agent.cpp's callbacks.h first.
#pragma once
#include <stdexcept>

#include "llama_cpp.hpp"

class FitBeforeEachCall : public agent_cpp::Callback {
 public:
  FitBeforeEachCall(const ctxmgr::ContextManager& manager, ctxmgr::BuildRequest request)
      : manager_(manager), request_(std::move(request)) {}

  void before_llm_call(std::vector<common_chat_msg>& messages) override {
    const auto is_new = static_cast<std::ptrdiff_t>(sent_ <= messages.size() ? sent_ : 0);
    if (is_new == 0) thread_.clear();  // Another conversation.
    thread_.insert(thread_.end(), messages.begin() + is_new, messages.end());
    auto fitted = fit(manager_, thread_, request_, state_);
    if (!fitted)
      throw std::runtime_error(fitted.error().message);  // as agent.cpp's own callbacks say that a step cannot be
    messages = std::move(*fitted);
    sent_ = messages.size();
  }

  /// Everything that was said, to be stored.
  const std::vector<common_chat_msg>& thread() const { return thread_; }

 private:
  const ctxmgr::ContextManager& manager_;
  ctxmgr::BuildRequest request_;
  ctxmgr::ThreadState state_;
  std::vector<common_chat_msg> thread_;
  std::size_t sent_ = 0;  ///< How many of the agent's messages are of the last call.
};
