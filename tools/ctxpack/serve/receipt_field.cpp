#include "serve/receipt_field.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ctxpack::serve {
namespace {

constexpr const char* blank_characters = " \t\r\n";
constexpr std::string_view usual_name = "metadata";
constexpr std::string_view other_name = "ctxmgr_metadata";     // Where the service has a field of the usual name.
constexpr std::size_t most_held_bytes = std::size_t{4} << 10;  // After an object nothing but a line's end is usual.

}  // namespace

std::string ReceiptField::pass(const std::string& bytes) {
  if (bytes.empty()) return {};
  if (first_ == 0) first_ = bytes.front();
  find_usual_name(bytes);
  auto all = std::exchange(held_, {}) + bytes;
  const auto last = all.find_last_not_of(blank_characters);
  auto passes = all.size();
  if (last == std::string::npos || all[last] == '}') passes = std::min(passes, last);
  if (all.size() - passes > most_held_bytes) passes = all.size();
  held_ = all.substr(passes);
  all.resize(passes);
  const auto before = all.find_last_not_of(blank_characters);
  if (before != std::string::npos) before_ = all[before];
  return all;
}

std::string ReceiptField::end(const std::string& receipt) {
  const bool is_object = first_ == '{' && before_ != 0 && !held_.empty() && held_.front() == '}';
  auto rest = std::exchange(held_, {});
  if (!is_object) return rest;
  std::string field = before_ == '{' ? "\"" : ",\"";
  field += has_usual_name_ ? other_name : usual_name;
  return field + "\":" + receipt + rest;
}

void ReceiptField::find_usual_name(std::string_view bytes) {
  for (const char byte : bytes) {
    if (in_string_) {
      const bool was_escaped = std::exchange(is_escaped_, !is_escaped_ && byte == '\\');
      in_string_ = was_escaped || byte != '"';
      if (in_string_ && depth_ == 1 && string_.size() <= usual_name.size()) string_ += byte;
    } else if (byte == '"') {
      in_string_ = true;
      string_.clear();
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      --depth_;
    } else if (byte == ':' && depth_ == 1) {
      has_usual_name_ = has_usual_name_ || string_ == usual_name;
    }
  }
}

}  // namespace ctxpack::serve
