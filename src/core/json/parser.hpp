#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ctxmgr {

/// Where JSON (RFC 8259) is broken, and how.
struct JsonFault {
  enum class Kind { malformed, surrogate, number_range, stopped };
  Kind kind = Kind::malformed;
  std::size_t offset = 0;  ///< Of the first byte that does not fit; the text's size where it ends too early.
};

/// What a text holds, in its order. Where one of them returns false, the parser stops.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual bool null() = 0;
  virtual bool boolean(bool value) = 0;
  virtual bool integer(std::int64_t value) = 0;
  virtual bool unsigned_integer(std::uint64_t value) = 0;         ///< Only what is beyond the others.
  virtual bool real(double value, std::string_view written) = 0;  ///< `written`: as the text has it.
  virtual bool string(std::string& value) = 0;
  virtual bool key(std::string& value) = 0;
  virtual bool begin(char bracket) = 0;  ///< '{' or '['.
  virtual bool end(char bracket) = 0;
};

/// One value and nothing after it, of any depth: it needs no stack. Bytes of strings are taken as they are, UTF-8 or not. An
/// integer beyond 64 bits is a double, a number beyond a double a fault.
[[nodiscard]] std::optional<JsonFault> parse_events(std::string_view text, JsonEvents& events);

/// The shortest text that reads back as the same number, with a point or an exponent, which stands where there would be more
/// digits before the point. \pre It is finite.
[[nodiscard]] std::string json_number(double value, int most_whole_digits = 15);

}  // namespace ctxmgr
