#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::http {

/// One server-sent event: its type (empty: "message") and its data lines, joined by newlines.
struct SseEvent {
  std::string type{};
  std::string data{};
};

/// Parser of text/event-stream (WHATWG HTML, section 9.2.6) that may be fed any pieces: how the bytes are cut changes
/// nothing. `id` and `retry` are ignored, since nothing here reconnects.
/// Thread-safety: none; one thread at a time.
class SseParser {
 public:
  /// Appends the events that these bytes complete. An event that the end of the stream cuts off is dropped, as the
  /// specification wants. Holds no more than what it was fed, which is for the caller to bound.
  void feed(std::string_view bytes, std::vector<SseEvent>& events);

 private:
  void end_line(std::vector<SseEvent>& events);

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_carriage_return_ = false;
  bool at_start_ = true;
};

}  // namespace ctxmgr::http
