#include "serve/receipt_field.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ctxpack::serve {
namespace {

constexpr const char* blank_characters = " \t\r\n";
constexpr std::size_t most_held_bytes = std::size_t{4} << 10;  // After an object nothing but a line's end is usual.

}  // namespace

std::string ReceiptField::pass(const std::string& bytes) {
  if (bytes.empty()) return {};
  if (first_ == 0) first_ = bytes.front();
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
  return is_object ? (before_ == '{' ? "" : ",") + ("\"metadata\":" + receipt) + rest : rest;
}

}  // namespace ctxpack::serve
