#include "ctxmgr/ports/conversation_store.hpp"

namespace ctxmgr {

ConversationStore::~ConversationStore() = default;

}  // namespace ctxmgr
