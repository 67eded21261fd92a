#pragma once
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ctxmgr::redis {

/// Commands as they go over the wire, one after the other ("RESP protocol spec", redis.io): written once, straight into
/// the buffer that is sent, since many large values may be among them.
class Request {
 public:
  /// Writes into the room of a buffer that was used before: getting and giving back a large one each time costs more
  /// than filling it.
  explicit Request(std::string buffer = {}) : bytes_(std::move(buffer)) { bytes_.clear(); }

  /// Makes room for words of so many bytes together: a large request that grows piece by piece is copied as often, and
  /// its pages are taken from the system and given back each time.
  void reserve(std::size_t words, std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes + words * most_framing); }

  /// Begins a command; `words`, its name included, have to follow.
  Request& begin(std::size_t words) {
    ++commands_;
    return number('*', words);
  }

  Request& word(std::string_view text) { return word({text}); }

  /// One word out of several pieces.
  Request& word(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const auto piece : pieces) size += piece.size();
    number('$', size);
    for (const auto piece : pieces) bytes_.append(piece);
    bytes_.append("\r\n");
    return *this;
  }

  Request& command(const std::vector<std::string_view>& words) {
    begin(words.size());
    for (const auto text : words) word(text);
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take_buffer() && { return std::move(bytes_); }
  [[nodiscard]] std::size_t commands() const { return commands_; }

 private:
  static constexpr std::size_t most_framing = 32;  // of a word: its length, and line ends

  Request& number(char kind, std::size_t number) {
    char digits[24] = {kind};
    auto* const end = std::to_chars(digits + 1, digits + sizeof digits - 2, number).ptr;
    bytes_.append(digits, end).append("\r\n");
    return *this;
  }

  std::string bytes_;
  std::size_t commands_ = 0;
};

}  // namespace ctxmgr::redis
