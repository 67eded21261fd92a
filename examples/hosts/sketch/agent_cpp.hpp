// What the adapter uses of agent.cpp's callbacks.h.
#pragma once
#include <vector>

namespace agent_cpp {

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void before_llm_call(std::vector<common_chat_msg>& /*messages*/) {}
};

}  // namespace agent_cpp
