// Event streams of language models: however the bytes are cut, the same text and the same reply or a typed error; and a
// body that is no stream is read or refused.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/sse_parser.hpp"
#include "adapters/curl/wire.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace {

using namespace ctxmgr;

/// All that a stream led to.
std::string read_stream(const wire::Wire& wire, std::string_view bytes, std::size_t piece) {
  http::SseParser parser;
  const auto reader = wire.make_stream_reader();
  std::string said;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    std::vector<http::SseEvent> events;
    parser.feed(bytes.substr(at, piece), events);
    for (const auto& event : events) {
      const auto text = reader->on_event(event);
      if (!text) return said + "\nfailed: " + text.error().error.message;
      said += *text;
    }
  }
  if (!reader->is_complete()) return said + "\ncut";
  const auto reply = wire.read_reply(reader->reply());
  return said + (reply ? to_json(reply->message) : "\nrefused: " + reply.error().message);
}

void read_body(const wire::Wire& wire, std::string_view body) {
  const auto json = parse_json(body);
  if (!json) return;
  const auto reply = wire.read_reply(*json);
  if (!reply && reply.error().code != ErrorCode::bad_data) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::array wires = {&wire::openai_chat, &wire::openai_responses, &wire::anthropic_messages};
  const auto& wire = *wires[data[0] % wires.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = 1 + data[1] % 16U;
  if (read_stream(wire, bytes, bytes.size() + 1) != read_stream(wire, bytes, piece)) std::abort();
  read_body(wire, bytes);
  return 0;
}
