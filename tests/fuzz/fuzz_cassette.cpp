// Lines of cassettes: read or refused, and what was read is written so that it reads as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "adapters/clients/cassette.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto line = ctxmgr::read_cassette_line(text);
  if (!line) {
    demand(line.error().code == ctxmgr::ErrorCode::invalid_argument);
    return 0;
  }
  ctxmgr::LlmRequest request;
  request.model = "m";
  const auto again = ctxmgr::read_cassette_line(ctxmgr::write_cassette_line(request, line->result));
  demand(again && again->key == ctxmgr::cassette_key(request));
  demand(again->result.has_value() == line->result.has_value());
  if (!again->result) return again->result.error().code == line->result.error().code ? 0 : (std::abort(), 0);
  const auto once = ctxmgr::write_cassette_line(request, again->result);
  demand(once == ctxmgr::write_cassette_line(request, ctxmgr::read_cassette_line(once)->result));
  return 0;
}
