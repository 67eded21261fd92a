#include "http/chunk_decoder.hpp"

#include <algorithm>

namespace ctxpack::http {
namespace {

constexpr std::size_t most_digits = 8;
constexpr std::size_t most_extra_bytes = std::size_t{16} << 10;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

ChunkDecoder::State ChunkDecoder::take_size(char c) {
  if (const int digit = digit_of(c); digit >= 0) {
    if (++digits_ > most_digits) return State::malformed;
    left_ = left_ * 16 + static_cast<std::size_t>(digit);
    return State::more;
  }
  if (digits_ == 0) return State::malformed;
  part_ = c == ';' ? Part::extension : Part::size_end;
  return c == ';' || c == '\r' ? State::more : State::malformed;
}

/// Everything but sizes and data.
ChunkDecoder::State ChunkDecoder::take_mark(char c) {
  const auto expect = [&](char expected, Part next) {
    part_ = next;
    return c == expected ? State::more : State::malformed;
  };
  switch (part_) {
    case Part::extension:
      if (c == '\r') return expect('\r', Part::size_end);
      return c == '\n' || ++extra_ > most_extra_bytes ? State::malformed : State::more;
    case Part::size_end: return expect('\n', left_ > 0 ? Part::data : Part::trailer);
    case Part::data_return: return expect('\r', Part::data_end);
    case Part::data_end: digits_ = 0; return expect('\n', Part::size);
    case Part::trailer:
      if (c == '\r') return expect('\r', line_ == 0 ? Part::last_end : Part::trailer_end);
      ++line_;
      return c == '\n' || ++extra_ > most_extra_bytes ? State::malformed : State::more;
    case Part::trailer_end: line_ = 0; return expect('\n', Part::trailer);
    case Part::last_end: return c == '\n' ? State::done : State::malformed;
    case Part::size:
    case Part::data: break;
  }
  return State::malformed;
}

ChunkDecoder::State ChunkDecoder::take_data(std::string_view& bytes, std::string& body) {
  const auto size = std::min(left_, bytes.size());
  body.append(bytes.substr(0, size));
  bytes.remove_prefix(size);
  left_ -= size;
  if (left_ == 0) part_ = Part::data_return;
  return State::more;
}

ChunkDecoder::State ChunkDecoder::take(std::string_view& bytes, std::string& body) {
  while (!bytes.empty()) {
    State state = State::more;
    if (part_ == Part::data) {
      state = take_data(bytes, body);
    } else {
      const char c = bytes.front();
      bytes.remove_prefix(1);
      state = part_ == Part::size ? take_size(c) : take_mark(c);
    }
    if (state != State::more) return state;
    if (part_ == Part::data && left_ > most_bytes_ - std::min(most_bytes_, body.size())) return State::too_large;
  }
  return State::more;
}

}  // namespace ctxpack::http
