#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

KeyValueStore::~KeyValueStore() = default;

}  // namespace ctxmgr
