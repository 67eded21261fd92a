#include "adapters/curl/sse_parser.hpp"

#include <utility>

namespace ctxmgr::http {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

void SseParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
  while (!bytes.empty()) {
    // The newline of a CR LF pair ends no second line, also where the pair was cut in two.
    if (after_carriage_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_carriage_return_ = false;
    const auto length = bytes.find_first_of("\r\n");
    if (length == std::string_view::npos) {
      line_ += bytes;
      bytes = {};
    } else {
      line_ += bytes.substr(0, length);
      after_carriage_return_ = bytes[length] == '\r';
      bytes.remove_prefix(length + 1);
      end_line(events);
    }
  }
}

void SseParser::end_line(std::vector<SseEvent>& events) {
  std::string_view line = line_;
  if (std::exchange(at_start_, false) && line.substr(0, byte_order_mark.size()) == byte_order_mark) {
    line.remove_prefix(byte_order_mark.size());
  }
  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (line.empty()) {
    if (has_data_) events.push_back(std::move(event_));
    event_ = {};
    has_data_ = false;
  } else if (field == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (field == "event") {
    event_.type = value;
  }
  line_.clear();
}

}  // namespace ctxmgr::http
