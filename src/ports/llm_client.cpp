#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

LlmClient::~LlmClient() = default;

}  // namespace ctxmgr
