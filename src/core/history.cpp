#include "ctxmgr/core/history.hpp"

#include <utility>

#include "core/history_reader.hpp"

namespace ctxmgr {

MendedHistory mend_history(const std::vector<ConversationMessage>& messages) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  reader.read(messages);
  return std::move(reader).mended();
}

Result<void> check_history(const std::vector<ConversationMessage>& messages) {
  HistoryReader reader(HistoryReader::Purpose::check);
  reader.read(messages);
  if (reader.notes().empty()) return {};
  return fail(ErrorCode::invalid_argument, reader.notes().front());
}

}  // namespace ctxmgr
