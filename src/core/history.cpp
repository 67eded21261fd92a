#include "ctxmgr/core/history.hpp"

#include "core/history/history_reader.hpp"

namespace ctxmgr {

Result<void> check_history(const std::vector<ConversationMessage>& messages) {
  return check_history(messages, HistoryDemands{});
}

Result<void> check_history(const std::vector<ConversationMessage>& messages, const HistoryDemands& demands) {
  HistoryReader reader(HistoryReader::Purpose::check, demands);
  reader.read(messages);
  reader.end();
  if (reader.notes().empty()) return {};
  return fail(ErrorCode::invalid_argument, reader.notes().front());
}

}  // namespace ctxmgr
