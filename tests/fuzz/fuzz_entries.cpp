// Entries of stores that others can write to: read as what they are, or not at all.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/summaries/summary_entry.hpp"
#include "session/entry_label.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ctxmgr;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto label = decode_label(bytes)) {
    if (encode_entry(*label, bytes.substr(entry_label_bytes)) != bytes) std::abort();
  }
  SummaryKey key;
  key.scope = "tenant";
  key.content_hash = "hash";
  if (decode_summary(key, bytes)) std::abort();  // Nobody finds a checksum by chance.
  (void)decode_focuses(key.scope, key.content_hash, bytes);

  // What was written is read again, and a changed byte is noticed.
  const std::size_t half = size / 2;
  auto entry = encode_summary(key, bytes.substr(0, half), bytes.substr(half));
  if (decode_summary(key, entry, bytes.substr(half)) != bytes.substr(0, half)) std::abort();
  if (size == 0) return 0;
  entry[data[0] % entry.size()] ^= 0x20;
  if (decode_summary(key, entry, bytes.substr(half))) std::abort();
  return 0;
}
